//! Ports of this machine, and other machines when that was asked for.

use std::net::{Ipv4Addr, TcpListener};

use super::{
    Patient,
    check::{Finding, Job},
    configured::connect,
};

/// Where packages come from.
const REGISTRIES: [(&str, &str); 2] = [
    ("pypi.org", "Python packages of tools, through uv"),
    ("registry.npmjs.org", "MCP servers from npm"),
];

pub(super) fn jobs(patient: &Patient) -> Vec<Job> {
    let enables = "tools that are processes and containers, which answer on ports of this machine";
    let mut jobs = vec![Job::new("ports", enables, "let programs listen on 127.0.0.1", || {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, 0)) {
            Ok(_) => Finding::ok("127.0.0.1 gives free ones"),
            Err(error) => Finding::broken(format!("127.0.0.1 gives none: {error}")),
        }
    })];
    if patient.is_online {
        jobs.extend(REGISTRIES.into_iter().map(|(host, enables)| {
            let how = "a connection to the internet, or a mirror that uv and npm are told of";
            Job::new(host, enables, how, move || match connect(host, 443) {
                Ok(()) => Finding::ok("accepts connections"),
                Err(why) => Finding::missing(why),
            })
        }));
    }
    jobs
}
