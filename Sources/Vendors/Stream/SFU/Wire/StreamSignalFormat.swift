/// The form in which the SFU's messages are written: as protocol buffers, for instance, or as objects of JSON.
package enum StreamSignalFormat: Hashable, Sendable, CaseIterable {
  case protobuf
  case json
}
