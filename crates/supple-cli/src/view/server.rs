//! The server: loopback only, one page and one stream, everything counted and timed.
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use supple_page::Page;
use tokio::sync::{Notify, Semaphore};

use super::command::LONGEST;
use super::guard::Guard;
use super::host::Host;
use super::hub::{Hub, Mail};
use super::job;
use super::recipe::Recipe;
use super::socket;

/// Connections at a time, and viewers among them.
const CONNECTIONS: usize = 64;
const VIEWERS: usize = 16;
/// How long a request may take to arrive.
const HEADERS: Duration = Duration::from_secs(5);
/// Pages that may show this one in a frame: notebooks on this machine.
const FRAMES: &str =
    "frame-ancestors 'self' http://127.0.0.1:* http://localhost:* https://localhost:* vscode-webview:";

/// How to serve.
#[derive(Debug, Clone)]
pub struct Options {
    /// Port; 0 picks a free one.
    pub port: u16,
    /// The token that every request must have.
    pub token: String,
    /// The page.
    pub page: Page,
}

/// A server that listens, with its scene running.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

struct Shared {
    guard: Guard,
    page: Page,
    hub: Arc<Hub>,
    end: Notify,
}

/// Ends a server from another thread.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

impl Handle {
    /// The server leaves its loop, and the simulation ends.
    pub fn end(&self) {
        self.0.end.notify_one();
    }
}

impl Server {
    /// Builds the scene, binds to the loopback and starts the simulation's thread.
    pub fn start(recipe: Recipe, options: &Options) -> Result<Server, String> {
        let built = job::build(&recipe, &[])?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let wrong = |e: io::Error| format!("cannot listen at {address}: {e}");
        let listener = TcpListener::bind(address).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        let port = listener.local_addr().map_err(wrong)?.port();
        let (hub, inbox) = Hub::new();
        let host = Host::new(hub.clone(), inbox, recipe, built).map_err(|e| e.to_string())?;
        std::thread::Builder::new()
            .name("supple-session".into())
            .spawn(move || host.run())
            .map_err(|e| format!("cannot start a thread: {e}"))?;
        let guard = Guard::new(port, options.token.clone());
        let shared = Shared { guard, page: options.page.clone(), hub, end: Notify::new() };
        Ok(Server { listener, shared: Arc::new(shared) })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.listener.local_addr().map_or(0, |a| a.port())
    }

    /// The address to open, with the token.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port(), self.shared.guard.token())
    }

    /// What ends it.
    pub fn handle(&self) -> Handle {
        Handle(self.shared.clone())
    }

    /// Serves until it is ended.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let Server { listener, shared } = self;
        let result = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let room = Arc::new(Semaphore::new(CONNECTIONS));
            let routes = routes(shared.clone());
            loop {
                let stream = tokio::select! {
                    () = shared.end.notified() => return Ok(()),
                    accepted = listener.accept() => match accepted {
                        Ok((stream, _)) => stream,
                        // Too many open files, a connection that is gone already: not the end of the others.
                        Err(_) => {
                            tokio::time::sleep(Duration::from_millis(50)).await;
                            continue;
                        }
                    },
                };
                // One too many is closed at once.
                let Ok(seat) = room.clone().try_acquire_owned() else { continue };
                let _ = stream.set_nodelay(true);
                let service = TowerToHyperService::new(routes.clone());
                tokio::spawn(async move {
                    let mut http = hyper::server::conn::http1::Builder::new();
                    http.timer(TokioTimer::new()).header_read_timeout(HEADERS).max_buf_size(64 << 10);
                    let connection = http.serve_connection(TokioIo::new(stream), service);
                    let _ = connection.with_upgrades().await;
                    drop(seat);
                });
            }
        });
        shared.hub.hurry.store(true, Ordering::SeqCst);
        runtime.block_on(async {
            tokio::time::timeout(Duration::from_secs(1), shared.hub.post(Mail::End)).await.ok()
        });
        runtime.shutdown_timeout(Duration::from_millis(200));
        result
    }
}

fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/scene.toml", get(scene))
        .route("/ws", get(stream))
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is nothing here\n") })
        .layer(middleware::from_fn_with_state(shared.clone(), checked))
        .with_state(shared)
}

/// Every request passes here: first the checks, then the headers that keep browsers strict.
async fn checked(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match shared.guard.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => (StatusCode::FORBIDDEN, refusal.text()).into_response(),
    };
    let headers = response.headers_mut();
    let fixed: [(HeaderName, &'static str); 6] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        let nothing = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
        headers.insert(header::CONTENT_SECURITY_POLICY, nothing);
    }
    response
}

async fn page(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    // Checked before; the policy names the address under which the page was asked for.
    let host = shared.guard.host(&uri, &headers).unwrap_or("127.0.0.1");
    let policy = format!("{}; {FRAMES}", shared.page.policy(&format!("'self' ws://{host}")));
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    let mut response = Response::new(Body::from(shared.page.html.clone()));
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The scene with the values as they are now.
async fn scene(State(shared): State<Arc<Shared>>) -> Response {
    let text = shared.hub.scene.borrow().to_string();
    let kind = (header::CONTENT_TYPE, "application/toml; charset=utf-8");
    let name = (header::CONTENT_DISPOSITION, "attachment; filename=\"scene.toml\"");
    ([kind, name], text).into_response()
}

async fn stream(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let hub = shared.hub.clone();
    let Some(viewer) = hub.enter(VIEWERS) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many viewers\n").into_response();
    };
    let failed = hub.clone();
    upgrade
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .write_buffer_size(0)
        .on_failed_upgrade(move |_| failed.leave())
        .on_upgrade(move |socket| socket::serve(socket, hub, viewer))
}
