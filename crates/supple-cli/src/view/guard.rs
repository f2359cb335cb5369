//! Who may talk to the server.
//!
//! Three locks, each enough against the attacks that it is made for: the address in `Host` must be this server's, which stops a
//! foreign name that resolves to this machine; an `Origin`, which browsers send with every WebSocket, must be this server's, which
//! stops foreign pages; and the token of this run, which only the person who started it knows, stops other users of the machine.
use axum::http::{HeaderMap, Uri, header};

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Not one of this server's addresses.
    Host,
    /// A page of someone else.
    Origin,
    /// No token, or a wrong one.
    Token,
}

impl Refusal {
    /// The answer to whoever asked.
    pub fn text(self) -> &'static str {
        match self {
            Refusal::Host => {
                "refused: this server answers at 127.0.0.1 and localhost with its own port only\n"
            }
            Refusal::Origin => "refused: a page from elsewhere may not talk to this server\n",
            Refusal::Token => "refused: use the whole address that `supple view` printed, with its token\n",
        }
    }
}

/// What requests are compared with.
#[derive(Debug, Clone)]
pub struct Guard {
    hosts: Vec<String>,
    token: String,
}

impl Guard {
    /// The guard of a server at a port of the loopback.
    pub fn new(port: u16, token: String) -> Guard {
        let names = ["127.0.0.1", "localhost"];
        let mut hosts: Vec<String> = names.iter().map(|n| format!("{n}:{port}")).collect();
        if port == 80 {
            // Browsers leave out the usual port.
            hosts.extend(names.map(String::from));
        }
        Guard { hosts, token }
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The address that a request was sent to, if it is this server's.
    pub fn host<'a>(&self, uri: &Uri, headers: &'a HeaderMap) -> Result<&'a str, Refusal> {
        let mut all = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (all.next(), all.next()) else { return Err(Refusal::Host) };
        let host = host.to_str().map_err(|_| Refusal::Host)?;
        // A proxy's form of address, `GET http://elsewhere/`, is for no server at a loopback.
        if uri.authority().is_some() || !self.hosts.iter().any(|h| h == host) {
            return Err(Refusal::Host);
        }
        Ok(host)
    }

    /// Checks host, origin and token. Programs that are no browsers send no origin.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = self.host(uri, headers)?;
        let mut origins = headers.get_all(header::ORIGIN).iter();
        if let Some(origin) = origins.next()
            && (origin.as_bytes() != format!("http://{host}").as_bytes() || origins.next().is_some())
        {
            return Err(Refusal::Origin);
        }
        let query = uri.query().unwrap_or("");
        let mut given = query.split('&').filter_map(|p| p.strip_prefix("token="));
        match (given.next(), given.next()) {
            (Some(token), None) if same(token.as_bytes(), self.token.as_bytes()) => Ok(()),
            _ => Err(Refusal::Token),
        }
    }
}

/// Equal? In a time that depends on the length of what was given only, so that a guess cannot be improved byte by byte.
pub fn same(given: &[u8], secret: &[u8]) -> bool {
    let mut differ = u8::from(given.len() != secret.len() || secret.is_empty());
    for (i, g) in given.iter().enumerate() {
        let s = secret.get(i % secret.len().max(1)).copied().unwrap_or(0);
        differ |= std::hint::black_box(g ^ s);
    }
    std::hint::black_box(differ) == 0
}

/// A token that no one can guess: 128 random bits.
pub fn random_token() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|e| format!("the system gives no random numbers: {e}"))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}
