# supple in a box: `docker build -t supple .`, then `docker run --rm -v "$PWD:/work" supple run scene.toml --export gif`.
FROM rust:1.95-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends nodejs npm && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo build --release --locked -p supple-cli && strip target/release/supple

FROM debian:bookworm-slim
COPY --from=build /source/target/release/supple /usr/local/bin/supple
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/supple/
RUN useradd --create-home supple
USER supple
WORKDIR /work
ENTRYPOINT ["supple"]
CMD ["--help"]
