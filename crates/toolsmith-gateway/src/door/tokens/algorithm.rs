//! The ways of signing that a token may use: all of them with public keys.
//!
//! There is no `none` and no HMAC here, so that neither an unsigned token nor one that is signed
//! with the text of a public key can be mistaken for a good one.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, VerificationAlgorithm,
};

/// A way of signing, by the names of RFC 7518 and RFC 8037.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA (PKCS #1 v1.5) with SHA-256.
    Rs256,
    /// The same with SHA-384.
    Rs384,
    /// The same with SHA-512.
    Rs512,
    /// RSA (PSS) with SHA-256.
    Ps256,
    /// The same with SHA-384.
    Ps384,
    /// The same with SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// Ed25519.
    EdDsa,
}

/// Who can check a signature.
pub(super) enum Check {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

impl Algorithm {
    /// Every way of signing that can be checked.
    pub const ALL: [Self; 9] = [
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// Returns the name in the head of a token.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }

    /// Finds the way of signing of that name; letters count as they are written.
    pub fn from_name(name: &str) -> Option<Self> {
        // RFC 9864 names the curve.
        if name == "Ed25519" {
            return Some(Self::EdDsa);
        }
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }

    pub(super) fn check(self) -> Check {
        match self {
            Self::Rs256 => Check::Rsa(&RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Check::Rsa(&RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Check::Rsa(&RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Check::Rsa(&RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => Check::Rsa(&RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => Check::Rsa(&RSA_PSS_2048_8192_SHA512),
            Self::Es256 => Check::Curve(&ECDSA_P256_SHA256_FIXED),
            Self::Es384 => Check::Curve(&ECDSA_P384_SHA384_FIXED),
            Self::EdDsa => Check::Curve(&ED25519),
        }
    }
}
