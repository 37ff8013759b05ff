internal import CLibWebSockets
internal import GatewayCore

/// The state that a WebSocket needs until it is open.
final class Handshake {
  /// The subprotocol that the 101 names; nil for none.
  private let subprotocol: String?

  /// Creates the state; the 101 names `subprotocol`.
  init(answering subprotocol: String?) {
    self.subprotocol = subprotocol
  }

  /// Writes the field that names the subprotocol into the 101, through the library's arguments. Returns -1 if there is no room.
  func appendSubprotocol(_ arguments: UnsafeMutableRawPointer?) -> Int32 {
    guard let subprotocol, HTTPField("sec-websocket-protocol", subprotocol).isSafe,
      let arguments = arguments?.assumingMemoryBound(to: lws_process_html_args.self)
    else { return 0 }
    let line = "Sec-WebSocket-Protocol: \(subprotocol)\r\n"
    // The empty line follows it.
    guard line.utf8.count + 3 < Int(arguments.pointee.max_len) else { return -1 }
    for byte in line.utf8 {
      arguments.pointee.p.pointee = CChar(bitPattern: byte)
      arguments.pointee.p += 1
    }
    return 0
  }
}
