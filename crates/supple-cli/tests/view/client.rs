//! A server in this process, and clients that are no browsers.
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use supple_cli::view::decode::{FrameMessage, Message, ModelMessage, message};
use supple_cli::view::{Options, Recipe, Server, server::Handle};
use supple_files::load::Loaded;
use supple_page::Page;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message as Ws, WebSocket};

pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Two bodies, both held; small enough for a thousand frames per second.
pub const SCENE: &str = r#"version = 1
[time]
dt = 0.01
[solve]
threads = 1
tolerance = 1e-6
[[body]]
name = "beam"
shape = { kind = "box", size = [1.0, 0.25, 0.25], cells = [8, 2, 2] }
material = { kind = "neo_hookean", young = 1e5, poisson = 0.4, density = 1000.0 }
[[body]]
name = "net"
shape = { kind = "cloth", size = [1.0, 1.0], cells = [4, 4] }
springs = { stiffness = 100.0, mass = 1.0 }
translate = [0.0, 0.0, 1.0]
[[pin]]
body = "beam"
select = { plane = { point = [0, 0, 0], normal = [-1, 0, 0] } }
[[pin]]
body = "net"
select = { ids = [0, 4] }
"#;

pub fn recipe(text: &str) -> Recipe {
    let loaded = Loaded::parse("test", text.to_string(), None, &[]).unwrap();
    Recipe::new("test", &loaded, &[]).unwrap()
}

/// A page as the bundler would leave it.
pub fn page() -> Page {
    let text = "<!doctype html><meta charset=\"utf-8\"><title>supple</title><!-- style sha256-AAAA --><script type=\"text/plain\" \
                id=\"data\"></script><!-- script sha256-BBBB -->the page";
    Page::new(text).unwrap()
}

pub struct Running {
    pub port: u16,
    handle: Handle,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    pub fn start(scene: &str) -> Running {
        let options = Options { port: 0, token: TOKEN.into(), page: page() };
        let server = Server::start(recipe(scene), &options).unwrap();
        let (port, handle) = (server.port(), server.handle());
        let thread = Some(std::thread::spawn(move || server.run().unwrap()));
        Running { port, handle, thread }
    }

    /// Sends bytes and reads until the server closes, or for so long.
    pub fn raw(&self, request: &[u8], seconds: u64) -> (String, bool) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let _ = stream.write_all(request);
        let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end {
            match stream.read(&mut buffer) {
                Ok(0) => return (String::from_utf8_lossy(&all).into_owned(), true),
                Ok(n) => all.extend_from_slice(&buffer[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => {
                    return (String::from_utf8_lossy(&all).into_owned(), true);
                }
                Err(_) => {}
            }
        }
        (String::from_utf8_lossy(&all).into_owned(), false)
    }

    /// A GET with these headers, after which the server is to close.
    pub fn get(&self, target: &str, headers: &[(&str, &str)]) -> String {
        let mut text = format!("GET {target} HTTP/1.1\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        self.raw(format!("{text}Connection: close\r\n\r\n").as_bytes(), 10).0
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn viewer(&self) -> Viewer {
        Viewer::connect(self, None).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.end();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// The status of an answer.
pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0)
}

pub struct Viewer {
    pub socket: WebSocket<TcpStream>,
    pub model: Option<ModelMessage>,
    pub state: Value,
    /// Text of the last refusal.
    pub refused: Option<String>,
}

impl Viewer {
    pub fn connect(server: &Running, origin: Option<&str>) -> Result<Viewer, String> {
        let host = server.host();
        let mut request = format!("ws://{host}/ws?token={TOKEN}").into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        let stream = TcpStream::connect(&host).map_err(|e| e.to_string())?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let (socket, _) = tungstenite::client(request, stream).map_err(|e| e.to_string())?;
        Ok(Viewer { socket, model: None, state: Value::Null, refused: None })
    }

    pub fn send(&mut self, command: Value) {
        self.socket.send(Ws::text(command.to_string())).unwrap();
    }

    /// The next frame, if the next message is one; models, states and refusals are kept.
    pub fn next(&mut self) -> Result<Option<FrameMessage>, String> {
        match self.socket.read().map_err(|e| e.to_string())? {
            Ws::Binary(bytes) => match message(&bytes)? {
                Message::Model(model) => self.model = Some(model),
                Message::Frame(frame) => return Ok(Some(frame)),
            },
            Ws::Text(text) => {
                let value: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
                match value["type"].as_str() {
                    Some("state") => self.state = value,
                    _ => self.refused = value["reason"].as_str().map(String::from),
                }
            }
            Ws::Close(_) => return Err("closed".into()),
            _ => {}
        }
        Ok(None)
    }

    /// Reads until a frame is as wished for.
    pub fn frame(&mut self, wanted: impl Fn(&FrameMessage) -> bool) -> FrameMessage {
        let end = Instant::now() + Duration::from_secs(20);
        while Instant::now() < end {
            if let Some(frame) = self.next().unwrap().filter(&wanted) {
                return frame;
            }
        }
        panic!("no such frame in 20 s; the state is {}", self.state)
    }

    /// Reads until the state is as wished for.
    pub fn until(&mut self, wanted: impl Fn(&Value) -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        while !wanted(&self.state) {
            assert!(Instant::now() < end, "no such state in 20 s: {}", self.state);
            self.next().unwrap();
        }
    }

    /// Pauses, and gives the frame at which it stands.
    pub fn pause(&mut self) -> FrameMessage {
        self.send(json!({ "type": "run", "on": false }));
        self.until(|s| s["running"] == false);
        // Asking for a colour shows the present frame once more, and with it.
        self.send(json!({ "type": "colour", "by": "velocity" }));
        self.frame(|f| f.fields[2].is_some())
    }
}
