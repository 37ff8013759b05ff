internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// What a WebSocket needs until it is open, either side.
final class Handshake {
  /// What the 101 will name; nil for nothing.
  let subprotocol: String?
  /// The fields that a dialled connection adds to its request.
  private var fields: [HTTPField]
  /// Why it did not open.
  private(set) var failure: DialFailure?
  private var timer: DialTimer?
  /// Whether it is the client's side.
  let isDialled: Bool
  /// Whether the client's side speaks TLS, and whether it takes any certificate.
  private let security: Security

  enum Security {
    case none, verified, unverified
  }
  /// Called when there was no connection at all.
  var whenUnreachable: (() -> Void)?
  /// The fields the library writes itself.
  static let ownFields: Set<String> = [
    "host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol",
    "sec-websocket-extensions",
  ]

  /// The server's side: the 101 names `subprotocol`.
  init(answering subprotocol: String?) {
    self.subprotocol = subprotocol
    isDialled = false
    security = .none
    fields = []
  }

  /// The client's side: the request has `fields` beside those of every upgrade.
  init(asking fields: [HTTPField], _ security: Security) {
    subprotocol = nil
    isDialled = true
    self.security = security
    self.fields = fields
  }

  /// Gives up at `deadline`.
  func limit(_ handle: WebSocketHandle, until deadline: Instant) {
    timer = DialTimer(handle)
    handle.loop.deadlines.set(timer!.wakeup, at: deadline)
  }

  /// Waits for nothing any more.
  func end() {
    guard let timer else { return }
    timer.handle.loop.deadlines.remove(timer.wakeup)
    self.timer = nil
  }

  fileprivate func timedOut() {
    failure = .timedOut
  }

  /// Writes the fields where the library's cursor (a pointer to the place to write at) is; -1 if there is no room.
  func appendFields(_ cursor: UnsafeMutableRawPointer?, _ room: Int) -> Int32 {
    guard let cursor = cursor?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>.self) else { return 0 }
    var text = ""
    for field in fields {
      text += "\(field.name): \(field.value)\r\n"
    }
    guard text.utf8.count < room else { return -1 }
    for byte in text.utf8 {
      cursor.pointee.pointee = byte
      cursor.pointee += 1
    }
    return 0
  }

  /// Writes the field that names the subprotocol into the 101, where the library's arguments say; -1 if there is no room.
  func appendSubprotocol(_ arguments: UnsafeMutableRawPointer?) -> Int32 {
    guard let subprotocol, HTTPField("sec-websocket-protocol", subprotocol).isSafe,
      let arguments = arguments?.assumingMemoryBound(to: lws_process_html_args.self)
    else { return 0 }
    let line = "Sec-WebSocket-Protocol: \(subprotocol)\r\n"
    // The empty line comes behind it.
    guard line.utf8.count + 3 < Int(arguments.pointee.max_len) else { return -1 }
    for byte in line.utf8 {
      arguments.pointee.p.pointee = CChar(bitPattern: byte)
      arguments.pointee.p += 1
    }
    return 0
  }

  /// The library gave up, and says why in a text such as `HS: ws upgrade response not 101` or `Timed out`; `tls` is how
  /// TLS ended, if that is the cause.
  func fail(_ reason: UnsafeRawBufferPointer, status: Int, tls: TLSFailure?) {
    guard failure == nil else { return }
    if let tls {
      failure = .insecure(tls)
      return
    }
    let text = String(decoding: reason.prefix { $0 != 0 }, as: UTF8.self)
    if status != 0 && status != 101 {
      failure = .refused(status: status)
    } else if text.lowercased().contains("timed out") || text.lowercased().contains("timeout") {
      failure = .timedOut
    } else {
      failure = .unreachable(text.isEmpty ? "the connection failed" : text)
      whenUnreachable?()
    }
  }
}

extension Handshake {
  /// Why TLS is the cause that a dialled connection did not open; nil if it is not.
  func tlsFailure(of wsi: OpaquePointer) -> TLSFailure? {
    let descriptor = lws_get_socket_fd(wsi)
    switch security {
    case .none: return postern_has_read_tls(descriptor) != 0 ? .peerWantsTLS : nil
    case .verified: return TLSFailure(postern_dialled_tls_end(descriptor))
    case .unverified:
      return TLSFailure(postern_dialled_tls_end(descriptor)).flatMap { $0.isOfCertificate ? nil : $0 }
    }
  }
}

/// Gives up dialling.
private final class DialTimer: WakeupTarget {
  unowned let handle: WebSocketHandle
  private(set) lazy var wakeup = Wakeup(target: self)

  init(_ handle: WebSocketHandle) {
    self.handle = handle
  }

  func wakeUp() {
    handle.handshake?.timedOut()
    handle.kill()
  }
}
