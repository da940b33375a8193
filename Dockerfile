# syntax=docker/dockerfile:1
FROM rust:1.95.0-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked --package toolward-server --package toolward-client

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin toolward
COPY --from=build /src/target/release/toolward-server /src/target/release/toolward /usr/local/bin/
COPY config/ /etc/toolward/
USER 10001
EXPOSE 50051 9464
ENTRYPOINT ["toolward-server"]
CMD ["--config", "/etc/toolward/server.container.toml"]
