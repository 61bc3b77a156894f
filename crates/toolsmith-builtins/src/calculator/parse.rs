//! Builds the tree of an expression out of its pieces.
//!
//! ```text
//! sum      = product (("+" | "-") product)*
//! product  = tower (("*" | "/" | "//" | "%") tower)*
//! tower    = ("+" | "-")* atom ("**" tower)?
//! atom     = number | constant | function "(" [sum ("," sum)*] ")" | "(" sum ")"
//! ```
//!
//! Only brackets nest; long chains of operators and signs are kept flat, so that neither building
//! nor computing nor dropping a tree can use up the stack.

use super::{
    functions::{self, Function},
    mistake::Mistake,
    number::Number,
    refusal,
    token::{Kind, Operator, Token},
};

/// How deep brackets may nest.
const DEEPEST: usize = 200;

/// A part of an expression.
#[derive(Debug)]
pub(super) enum Node {
    Number(Number),
    /// Operands of one precedence, computed from the left.
    Chain {
        first: Box<Self>,
        rest: Vec<Link>,
    },
    /// Powers of powers, computed from the right; without rungs, a sign before a value.
    Tower {
        rungs: Vec<Rung>,
        top: Box<Self>,
        sign: Sign,
    },
    Call {
        function: &'static Function,
        position: usize,
        arguments: Vec<Self>,
    },
}

/// An operator of a chain and what stands right of it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) operator: Operator,
    pub(super) position: usize,
    pub(super) operand: Node,
}

/// A base in a tower of powers; its sign applies to the power, since `-2**2` is -4.
#[derive(Debug)]
pub(super) struct Rung {
    pub(super) sign: Sign,
    pub(super) base: Node,
    /// Where the `**` after it stands.
    pub(super) position: usize,
}

/// What the signs before a value come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

/// Builds the tree; `end` is the position after the last character.
pub(super) fn parse(tokens: &[Token<'_>], end: usize) -> Result<Node, Mistake> {
    if tokens.is_empty() {
        return Err(refusal::empty());
    }
    let mut parser = Parser { tokens, end, depth: 0 };
    let node = parser.sum()?;
    match parser.tokens.first() {
        Some(stray) => Err(refusal::stray(stray)),
        None => Ok(node),
    }
}

struct Parser<'t, 'a> {
    /// What is left.
    tokens: &'t [Token<'a>],
    end: usize,
    depth: usize,
}

impl<'a> Parser<'_, 'a> {
    fn sum(&mut self) -> Result<Node, Mistake> {
        self.chain(Operator::is_additive, Self::product)
    }

    fn product(&mut self) -> Result<Node, Mistake> {
        self.chain(Operator::is_multiplicative, Self::tower)
    }

    fn chain(
        &mut self,
        joins: fn(Operator) -> bool,
        operand: fn(&mut Self) -> Result<Node, Mistake>,
    ) -> Result<Node, Mistake> {
        let first = operand(self)?;
        let mut rest = Vec::new();
        while let Some((operator, position)) = self.take_operator(joins) {
            // `50%` and `10% + 5` mean a percentage, and a remainder would come out.
            if operator == Operator::Modulo && !self.is_next(Kind::begins_value) {
                return Err(refusal::percent(position));
            }
            rest.push(Link { operator, position, operand: operand(self)? });
        }
        Ok(if rest.is_empty() { first } else { Node::Chain { first: Box::new(first), rest } })
    }

    fn tower(&mut self) -> Result<Node, Mistake> {
        let mut rungs = Vec::new();
        loop {
            let sign = self.signs();
            let node = self.atom()?;
            if let Some((_, position)) = self.take_operator(|op| op == Operator::Power) {
                rungs.push(Rung { sign, base: node, position });
            } else if rungs.is_empty() && sign == Sign::Plus {
                return Ok(node);
            } else {
                return Ok(Node::Tower { rungs, top: Box::new(node), sign });
            }
        }
    }

    fn signs(&mut self) -> Sign {
        let mut sign = Sign::Plus;
        while let Some((operator, _)) = self.take_operator(Operator::is_additive) {
            sign = match (operator, sign) {
                (Operator::Subtract, Sign::Plus) => Sign::Minus,
                (Operator::Subtract, Sign::Minus) => Sign::Plus,
                _ => sign,
            };
        }
        sign
    }

    fn atom(&mut self) -> Result<Node, Mistake> {
        let Some((token, rest)) = self.tokens.split_first() else {
            return Err(refusal::end(self.end));
        };
        self.tokens = rest;
        match token.kind {
            Kind::Number(number) => Ok(Node::Number(number)),
            Kind::Name => self.name(token),
            Kind::Open => self.bracket(token),
            Kind::Operator(_) | Kind::Close | Kind::Comma => Err(refusal::unexpected(token)),
        }
    }

    fn bracket(&mut self, open: &Token<'a>) -> Result<Node, Mistake> {
        self.enter(open)?;
        let node = self.sum()?;
        self.close(open)?;
        Ok(node)
    }

    fn name(&mut self, name: &Token<'a>) -> Result<Node, Mistake> {
        let open = self.tokens.first().filter(|token| matches!(token.kind, Kind::Open));
        match (functions::find(name.text), functions::constant(name.text), open) {
            (Some(function), _, Some(open)) => self.call(function, name, open),
            (Some(_), _, None) => Err(refusal::bare_function(name)),
            (None, Some(constant), None) => Ok(Node::Number(constant)),
            (None, Some(_), Some(open)) => Err(refusal::stray(open)),
            (None, None, Some(_)) => Err(refusal::unknown_function(name)),
            (None, None, None) => Err(refusal::unknown_name(name)),
        }
    }

    fn call(
        &mut self,
        function: &'static Function,
        name: &Token<'a>,
        open: &Token<'a>,
    ) -> Result<Node, Mistake> {
        self.skip();
        self.enter(open)?;
        let mut arguments = Vec::new();
        if !self.is_next(Kind::is_close) {
            arguments.push(self.sum()?);
            while self.is_next(Kind::is_comma) {
                self.skip();
                arguments.push(self.sum()?);
            }
        }
        self.close(open)?;
        Ok(Node::Call { function, position: name.position, arguments })
    }

    fn enter(&mut self, open: &Token<'a>) -> Result<(), Mistake> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(refusal::too_deep(open, DEEPEST)) } else { Ok(()) }
    }

    fn close(&mut self, open: &Token<'a>) -> Result<(), Mistake> {
        match self.tokens.split_first() {
            Some((token, rest)) if token.kind.is_close() => {
                self.tokens = rest;
                self.depth -= 1;
                Ok(())
            }
            Some((stray, _)) => Err(refusal::stray(stray)),
            None => Err(refusal::unclosed(open)),
        }
    }

    fn is_next(&self, wanted: fn(Kind) -> bool) -> bool {
        self.tokens.first().is_some_and(|token| wanted(token.kind))
    }

    /// Passes over a piece that the caller has seen.
    fn skip(&mut self) {
        self.tokens = self.tokens.get(1..).unwrap_or_default();
    }

    fn take_operator(&mut self, wanted: impl Fn(Operator) -> bool) -> Option<(Operator, usize)> {
        let (token, rest) = self.tokens.split_first()?;
        match token.kind {
            Kind::Operator(operator) if wanted(operator) => {
                self.tokens = rest;
                Some((operator, token.position))
            }
            _ => None,
        }
    }
}
