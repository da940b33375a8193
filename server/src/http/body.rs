//! Reads a body up to the limit, and lets go of one that is larger without breaking the connection in the middle: a
//! caller that is still sending would otherwise see a reset instead of the answer.

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;

use crate::error::Error;

/// Bytes above the limit that are still taken in and thrown away.
const MAX_DISCARDED: usize = 128 << 20;

/// The whole body.
///
/// # Errors
/// It is larger than the limit, or the caller went away.
pub(super) async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Error> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let too_large = announced.is_some_and(|length| length > limit);
    // A caller that waits for leave to send has sent nothing yet.
    if too_large && headers.contains_key(header::EXPECT) {
        return Err(Error::BodyTooLarge(limit));
    }
    let mut stream = body.into_data_stream();
    let mut read = BytesMut::with_capacity(if too_large { 0 } else { announced.unwrap_or_default() });
    let (mut over, mut discarded) = (too_large, 0_usize);
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Error::Cancelled)?;
        over |= read.len() + chunk.len() > limit;
        if !over {
            read.extend_from_slice(&chunk);
            continue;
        }
        read = BytesMut::new();
        discarded = discarded.saturating_add(chunk.len());
        if discarded > MAX_DISCARDED {
            break;
        }
    }
    if over {
        Err(Error::BodyTooLarge(limit))
    } else {
        Ok(read.freeze())
    }
}
