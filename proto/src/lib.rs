//! The `toolward.v1` gRPC contract: generated messages, clients and servers, and the descriptor set
//! that reflection serves. There is no logic here; the protos under `proto/toolward/v1` are the reference.

/// Package `toolward.v1`.
pub mod v1 {
    #![expect(
        missing_docs,
        clippy::all,
        reason = "generated from the protos, whose comments are the reference"
    )]
    tonic::include_proto!("toolward.v1");
}

/// The encoded `FileDescriptorSet` of every proto in this crate, as gRPC reflection wants it.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/toolward_descriptor.bin"));
