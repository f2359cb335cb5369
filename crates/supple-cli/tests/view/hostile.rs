//! Whom the server refuses, and that it survives them.
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use supple_cli::view::guard::{random_token, same};
use tungstenite::Message as Ws;

use crate::client::{Running, SCENE, TOKEN, Viewer, status};

#[test]
fn the_page_needs_the_token_and_the_right_host() {
    let server = Running::start(SCENE);
    let host = server.host();
    let good = format!("/?token={TOKEN}");
    let answer = server.get(&good, &[("Host", &host)]);
    assert_eq!(status(&answer), 200);
    assert!(answer.ends_with("the page"));
    let localhost = format!("localhost:{}", server.port);
    assert_eq!(status(&server.get(&good, &[("Host", &localhost)])), 200);

    let wrong_tokens = [
        "/".to_string(),
        "/?token=".to_string(),
        format!("/?token={}", &TOKEN[..31]),
        format!("/?token={TOKEN}0"),
        format!("/?token={}", "f".repeat(32)),
        format!("/?Token={TOKEN}"),
        format!("/?token={TOKEN}&token={TOKEN}"),
        format!("/?x=1#token={TOKEN}"),
        "/?token=%30123456789abcdef0123456789abcdef".to_string(),
        "/ws".to_string(),
        "/scene.toml".to_string(),
        "/nothing".to_string(),
        "/../../etc/passwd".to_string(),
    ];
    for target in wrong_tokens {
        let answer = server.get(&target, &[("Host", &host)]);
        assert!(matches!(status(&answer), 403 | 400), "{target}: {answer}");
        assert!(!answer.contains("the page") && !answer.contains(TOKEN), "{target}");
    }
    let (port, other) = (server.port, server.port.wrapping_add(1).max(1));
    let hosts = [
        "evil.example".to_string(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_string(),
        format!("127.0.0.1:{other}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("127.0.0.2:{port}"),
        format!("0.0.0.0:{port}"),
        format!("localhost:{port}.evil.example"),
        format!("user@127.0.0.1:{port}"),
        String::new(),
    ];
    for host in &hosts {
        assert!(matches!(status(&server.get(&good, &[("Host", host)])), 403 | 400), "Host {host}");
    }
    assert!(matches!(status(&server.get(&good, &[])), 403 | 400));
    assert!(matches!(status(&server.get(&good, &[("Host", &host), ("Host", "evil.example")])), 403 | 400));
    let elsewhere = format!("http://evil.example/?token={TOKEN}");
    assert!(matches!(status(&server.get(&elsewhere, &[("Host", &host)])), 403 | 400));
}

#[test]
fn pages_from_elsewhere_are_refused() {
    let server = Running::start(SCENE);
    let (host, port) = (server.host(), server.port);
    let origins = [
        "null".to_string(),
        "http://evil.example".to_string(),
        "https://evil.example".to_string(),
        format!("https://{host}"),
        format!("http://{host}.evil.example"),
        format!("http://127.0.0.1:{}", port.wrapping_add(1)),
        "http://127.0.0.1".to_string(),
        // This server's, but not the one that was asked.
        format!("http://localhost:{port}"),
        format!("http://{host}/"),
        "file://".to_string(),
    ];
    let target = format!("/?token={TOKEN}");
    for origin in &origins {
        assert_eq!(status(&server.get(&target, &[("Host", &host), ("Origin", origin)])), 403, "{origin}");
        assert!(Viewer::connect(&server, Some(origin)).is_err(), "{origin}");
    }
    assert!(Viewer::connect(&server, Some(&format!("http://{host}"))).is_ok());
    // Programs send none.
    assert!(Viewer::connect(&server, None).is_ok());
}

#[test]
fn answers_keep_browsers_strict() {
    let server = Running::start(SCENE);
    let host = server.host();
    let page = server.get(&format!("/?token={TOKEN}"), &[("Host", &host)]).to_lowercase();
    let policy = page.lines().find(|l| l.starts_with("content-security-policy:")).unwrap();
    for part in
        ["default-src 'none'", "script-src 'sha256-bbbb'", "style-src 'sha256-aaaa'", "base-uri 'none'"]
    {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    // Whom notebooks may be is the only thing that has a star.
    let (own, frames) = policy.split_once("frame-ancestors").unwrap();
    assert!(!policy.contains("unsafe") && !own.contains('*') && !own.contains("http"), "{policy}");
    assert!(!frames.contains(" * ") && !frames.contains("https: "), "{policy}");
    assert!(policy.contains(&format!("connect-src 'self' ws://{host};")));
    for target in [format!("/?token={TOKEN}"), "/".into(), format!("/x?token={TOKEN}")] {
        let answer = server.get(&target, &[("Host", &host)]).to_lowercase();
        for line in
            ["x-content-type-options: nosniff", "referrer-policy: no-referrer", "cache-control: no-store"]
        {
            assert!(answer.contains(line), "{target}: {line}");
        }
        assert!(answer.contains("content-security-policy: default-src 'none'"), "{target}");
        assert!(!answer.contains("access-control-allow-origin"), "{target}");
    }
}

#[test]
fn other_requests_get_nowhere() {
    let server = Running::start(SCENE);
    let host = server.host();
    let ask = |method: &str, target: &str, tail: &str| {
        let text = format!(
            "{method} {target}?token={TOKEN} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{tail}\r\n"
        );
        status(&server.raw(text.as_bytes(), 10).0)
    };
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"] {
        assert_eq!(ask(method, "/", ""), 405, "{method}");
    }
    assert!(matches!(ask("CONNECT", "/", ""), 400 | 403 | 405));
    for target in ["/index.html", "/..", "/.%2e/Cargo.toml", "/scene.toml/", "//", "/ws/", "/assets/x.js"] {
        assert!(matches!(ask("GET", target, ""), 404 | 403), "{target}");
    }
    // No WebSocket without its handshake.
    assert!(matches!(ask("GET", "/ws", ""), 400 | 426));
    // Heads without end, rubbish, another protocol.
    let long = format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let (answer, closed) = server.raw(long.as_bytes(), 10);
    assert!(closed && matches!(status(&answer), 0 | 400 | 431), "{answer}");
    let many = format!("GET / HTTP/1.1\r\nHost: {host}\r\n{}\r\n", "A: b\r\n".repeat(10_000));
    assert!(matches!(status(&server.raw(many.as_bytes(), 10).0), 0 | 400 | 431));
    for rubbish in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"[..],
        b"\0\0\0\0\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let (_, closed) = server.raw(rubbish, 10);
        assert!(closed);
    }
    server.viewer().frame(|_| true);
}

#[test]
fn a_request_that_does_not_end_is_cut_off() {
    let server = Running::start(SCENE);
    let begun = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    // One that says nothing at all.
    let mut silent = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    silent.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    for stream in [&mut stream, &mut silent] {
        let _ = stream.read_to_end(&mut Vec::new());
        assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    }
}

#[test]
fn commands_that_are_none_are_refused_with_a_reason() {
    let server = Running::start(SCENE);
    let mut viewer = server.viewer();
    viewer.frame(|_| true);
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let wrong = [
        "",
        "null",
        "{}",
        "[]",
        "true",
        "{\"type\":\"fly\"}",
        "{\"type\":\"run\"}",
        "{\"type\":\"run\",\"on\":1}",
        "{\"type\":\"run\",\"on\":true,\"x\":0}",
        "{\"type\":\"step\"",
        "{\"type\":\"speed\",\"factor\":-1}",
        "{\"type\":\"speed\",\"factor\":1e99}",
        "{\"type\":\"speed\",\"factor\":\"fast\"}",
        "{\"type\":\"grab\",\"vertices\":[],\"at\":[0,0,0]}",
        "{\"type\":\"grab\",\"vertices\":[-1],\"at\":[0,0,0]}",
        "{\"type\":\"grab\",\"vertices\":[0],\"at\":[0,0,1e300]}",
        "{\"type\":\"grab\",\"vertices\":[0],\"at\":[0,0]}",
        "{\"type\":\"drag\",\"to\":[0,0,1e999]}",
        "{\"type\":\"drag\",\"to\":[0,null,0]}",
        "{\"type\":\"colour\",\"by\":\"red\"}",
        "{\"type\":\"set\",\"key\":\"young\"}",
        "{\"type\":\"open\",\"path\":\"/etc/passwd\"}",
        &deep,
    ];
    for text in wrong {
        viewer.refused = None;
        viewer.socket.send(Ws::text(text)).unwrap();
        while viewer.refused.is_none() {
            viewer.next().unwrap();
        }
    }
    viewer.refused = None;
    viewer.socket.send(Ws::binary(vec![0; 100])).unwrap();
    while viewer.refused.is_none() {
        viewer.next().unwrap();
    }
    // These are commands with invalid values and names.
    let values = [
        ("young", json!(0.0)),
        ("young", json!(-1e5)),
        ("young", json!(1e300)),
        ("young", json!("stiff")),
        ("poisson", json!(0.5)),
        ("poisson", json!(-1)),
        ("gravity", json!([0, 1])),
        ("gravity", json!([0, 0, 1e9])),
        ("damping", json!(-1)),
        ("iterations", json!(0)),
        ("iterations", json!(1e12)),
        ("tolerance", json!(-1e-9)),
        ("weight_scale", json!(0)),
        ("method", json!("magic")),
        ("method", json!(1)),
        ("weight_rule", json!(null)),
        ("mesh", json!("/etc/passwd")),
        ("stiffness", json!([1])),
        ("output.export", json!(["png"])),
    ];
    for (key, value) in values {
        let before = viewer.state["note"]["number"].as_u64().unwrap_or(0);
        let settings = viewer.state["values"].clone();
        viewer.send(json!({ "type": "set", "key": key, "value": value }));
        viewer.until(|s| s["note"]["number"].as_u64().unwrap_or(0) > before);
        assert_eq!(viewer.state["values"], settings, "{key} {value}");
    }
    for command in [
        json!({ "type": "scene", "name": "../../etc/passwd" }),
        json!({ "type": "set", "key": "young", "value": 1e5, "body": "nobody" }),
        json!({ "type": "set", "key": "method", "value": "projective" }),
        json!({ "type": "grab", "vertices": [4_000_000_000_u32], "at": [0, 0, 0] }),
    ] {
        let before = viewer.state["note"]["number"].as_u64().unwrap_or(0);
        viewer.send(command.clone());
        viewer.until(|s| s["note"]["number"].as_u64().unwrap_or(0) > before);
    }
    let frame = viewer.frame(|_| true);
    viewer.frame(|f| f.numbers.frame > frame.numbers.frame + 5);
}

#[test]
fn messages_that_are_too_long_end_the_connection_and_nothing_else() {
    let server = Running::start(SCENE);
    let (mut good, mut bad) = (server.viewer(), server.viewer());
    good.frame(|_| true);
    bad.frame(|_| true);
    let _ = bad.socket.send(Ws::text("x".repeat((1 << 20) + 1)));
    let end = Instant::now() + Duration::from_secs(10);
    while bad.next().is_ok() {
        assert!(Instant::now() < end, "it is still there");
    }
    let before = good.frame(|_| true).numbers.frame;
    good.frame(|f| f.numbers.frame > before + 5);
}

#[test]
fn a_viewer_that_does_not_read_holds_nobody_up_and_is_dropped() {
    let server = Running::start(&SCENE.replace("cells = [8, 2, 2]", "cells = [40, 10, 10]"));
    let mut lazy = server.viewer();
    lazy.frame(|_| true);
    let mut good = server.viewer();
    good.until(|s| s["viewers"] == 2);
    let (begun, first) = (Instant::now(), good.frame(|_| true).numbers.frame);
    // The other one is served all the time, and after a while alone: ten seconds after the buffers are full.
    let mut last = first;
    while good.state["viewers"] != 1 {
        assert!(begun.elapsed() < Duration::from_secs(90), "it was not dropped");
        if let Some(frame) = good.next().unwrap() {
            last = frame.numbers.frame;
        }
    }
    assert!(last > first + 10, "{first} … {last}");
    drop(lazy);
}

/// 300 connections that send one byte in a while and never finish, one viewer that floods the server with whatever it refuses, and somebody who
/// pulls: that one's frames keep coming. Whom there is no room for is closed at once, so that slow ones cost a socket and no more; the rate is
/// held against that of the same pull before they came, on the same machine.
#[test]
fn slow_and_hostile_clients_do_not_stop_a_pull() {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    let server = Running::start(SCENE);
    let mut good = server.viewer();
    let start = good.frame(|_| true);
    let vertex = start.positions.iter().position(|p| p[0] > 0.9).unwrap();
    let from = start.positions[vertex];
    good.send(json!({ "type": "grab", "vertices": [vertex], "at": from }));
    good.until(|s| s["held"] == 1 && s["building"] == false);
    // Pulls for so long: frames in that time, the longest wait for one in s, and how far the vertex went.
    let pull = |viewer: &mut Viewer, seconds: f64| {
        let (begun, mut last) = (Instant::now(), Instant::now());
        let (mut frames, mut longest, mut far) = (0, 0.0f64, 0.0f32);
        while begun.elapsed().as_secs_f64() < seconds {
            let lift = 0.3 * (begun.elapsed().as_secs_f32() * 3.0).sin();
            viewer.send(json!({ "type": "drag", "to": [from[0], from[1] + lift, from[2]] }));
            let frame = viewer.frame(|_| true);
            longest = longest.max(last.elapsed().as_secs_f64());
            (last, frames) = (Instant::now(), frames + 1);
            far = far.max((frame.positions[vertex][1] - from[1]).abs());
        }
        (frames, longest, far)
    };
    let (alone, _, _) = pull(&mut good, 4.0);
    let (stop, sent, refused) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let (crowded, longest, far) = std::thread::scope(|scope| {
        // One thread for the 300: each gets a byte per round, and a new connection where it was closed.
        scope.spawn(|| {
            let connect = || {
                let stream = TcpStream::connect(("127.0.0.1", server.port)).ok()?;
                stream.set_nonblocking(true).ok()?;
                Some(stream)
            };
            let mut slow: Vec<Option<TcpStream>> = (0..300).map(|_| connect()).collect();
            let text = format!("GET /?token={TOKEN} HTTP/1.1\r\nHost: {}\r\nX: ", server.host());
            for round in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let byte = text.as_bytes().get(round).copied().unwrap_or(b'x');
                for client in &mut slow {
                    let gone = client.as_mut().is_none_or(|s| {
                        s.write_all(&[byte]).is_err() || matches!(s.read(&mut [0; 64]), Ok(0))
                    });
                    if gone {
                        *client = connect();
                    } else {
                        sent.fetch_add(1, Ordering::Relaxed);
                    }
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        // One that has the token and sends what is refused, long and fast, and comes back when it is dropped.
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let Ok(mut bad) = Viewer::connect(&server, None) else {
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                };
                for k in 0..200 {
                    let text = ["{\"type\":\"fly\"}".into(), "[".repeat(10_000), "x".repeat(100_000)];
                    let message = Ws::text(text[k % 3].clone());
                    if stop.load(Ordering::Relaxed) || bad.socket.send(message).is_err() {
                        break;
                    }
                    refused.fetch_add(1, Ordering::Relaxed);
                }
                let _ = bad.socket.send(Ws::text("x".repeat((1 << 20) + 1)));
            }
        });
        std::thread::sleep(Duration::from_millis(500));
        let pulled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pull(&mut good, 8.0)));
        stop.store(true, Ordering::Relaxed);
        pulled.unwrap()
    });
    let (sent, refused) = (sent.into_inner(), refused.into_inner());
    println!(
        "{alone} frames in 4 s alone, {crowded} in 8 s among them, longest wait {longest:.3} s, {sent} slow bytes, {refused} refused"
    );
    assert!(sent >= 1000 && refused >= 500, "{sent} bytes and {refused} messages are no crowd");
    assert!(far > 0.15, "it was pulled by {far} m");
    // Half of the rate alone, and no wait that anyone would call a stop.
    assert!(crowded >= alone, "{crowded} frames in 8 s, {alone} in 4 s alone");
    assert!(longest < 0.5, "{longest} s without a frame");
}

#[test]
fn there_is_room_for_so_many_and_no_more() {
    let server = Running::start(SCENE);
    let mut viewers: Vec<Viewer> = (0..16).map(|_| server.viewer()).collect();
    assert!(Viewer::connect(&server, None).is_err());
    viewers.pop();
    let end = Instant::now() + Duration::from_secs(10);
    while Viewer::connect(&server, None).is_err() {
        assert!(Instant::now() < end, "the place of one that has left stays taken");
        std::thread::sleep(Duration::from_millis(50));
    }
    // A flood of commands by all of them stops nobody.
    for viewer in &mut viewers {
        for i in 0..200 {
            viewer.send(json!({ "type": "drag", "to": [i, 0, 0] }));
        }
    }
    let before = viewers[0].frame(|_| true).numbers.frame;
    viewers[0].frame(|f| f.numbers.frame > before + 5);
}

#[test]
fn tokens_are_long_random_and_compared_as_a_whole() {
    let (a, b) = (random_token().unwrap(), random_token().unwrap());
    assert!(a.len() == 32 && a != b && a.bytes().all(|c| c.is_ascii_hexdigit()));
    assert!(same(a.as_bytes(), a.as_bytes()));
    for wrong in ["", &a[..31], &format!("{a}{a}"), &b] {
        assert!(!same(wrong.as_bytes(), a.as_bytes()));
    }
    assert!(!same(b"", b""));
}
