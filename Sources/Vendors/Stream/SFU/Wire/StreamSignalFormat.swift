/// The encoding of the SFU's messages: protocol buffers or JSON.
package enum StreamSignalFormat: Hashable, Sendable, CaseIterable {
  case protobuf
  case json
}
