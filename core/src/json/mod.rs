//! JSON as this service needs it: numbers keep their digits, repeated keys and lone surrogates are seen, time and
//! depth are bounded, and every fault has a position.
