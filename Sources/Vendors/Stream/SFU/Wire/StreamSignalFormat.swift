/// The encoding of the SFU's messages: protocol buffers or JSON.
enum StreamSignalFormat: Hashable, Sendable, CaseIterable {
  case protobuf
  case json
}
