import Foundation
import GatewayCore

@testable import GatewayServer

/// Input from sockets: requests and frames of clients, answers of servers, and a proxy's header.
enum HTTPTargets {
  static let all = [
    FuzzTarget("http-request", request), FuzzTarget("http-response", response),
    FuzzTarget("upgrade-answer", upgradeAnswer), FuzzTarget("websocket-frames", frames),
    FuzzTarget("proxy-header", proxyHeader),
  ]

  // MARK: Requests

  private struct ReadRequest: Equatable {
    var head: HeadBuffer.Step?
    var headBytes: [UInt8] = []
    var body: RequestBody.Step?
    var bodyBytes: [UInt8] = []
    /// The bytes that belong to the request.
    var used = 0
  }

  private static let bodyBytesMax = 4096

  private static func read(_ bytes: [UInt8], in pieces: [Range<Int>]) -> ReadRequest {
    var read = ReadRequest()
    var head = HeadBuffer(bytesMax: ServerLimits().headerBytesMax)
    var body: RequestBody?
    for piece in pieces {
      bytes.withUnsafeBytes { bytes in
        var rest = UnsafeRawBufferPointer(rebasing: bytes[piece])
        if body == nil {
          let step = head.append(rest)
          read.head = step
          guard case .complete(let used) = step else { return }
          read.used = piece.lowerBound + used
          read.head = .complete(used: read.used)
          read.headBytes = head.bytes
          rest = UnsafeRawBufferPointer(rebasing: rest[used...])
          guard
            case .request(_, let framing, _, _, _) = RequestArrival(
              RequestHead.read(head.bytes), limits: ServerLimits())
          else { return }
          body = RequestBody(framing, bytesMax: bodyBytesMax)
        }
        let start = piece.upperBound - rest.count
        let step = body?.append(rest)
        read.body = step
        if case .complete(let used)? = step {
          read.used = start + used
          read.body = .complete(used: read.used)
        }
      }
      read.bodyBytes = body?.bytes ?? []
      if let step = read.head, step != .needsMore {
        guard body != nil, read.body == .needsMore else { break }
      }
    }
    return read
  }

  static func request(_ bytes: [UInt8]) throws {
    let whole = read(bytes, in: Pieces.whole(bytes))
    var cut = read(bytes, in: Pieces.cut(bytes))
    // A body that ends in a fault is not delivered, so its bytes do not matter.
    if whole.body == .tooLong || whole.body == .malformed { cut.bodyBytes = whole.bodyBytes }
    try hold(whole == cut, "in one piece \(whole), in pieces \(cut)")
    try hold(whole.used <= bytes.count, "\(whole.used) of \(bytes.count) bytes")
    guard case .head(let head) = RequestHead.read(whole.headBytes) else { return }
    try hold(RequestHead.isToken(head.request.method.utf8), "a method that is no token: \(head.request.method)")
    for field in head.request.headers {
      try hold(
        RequestHead.isToken(field.name.utf8) && !field.value.utf8.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d },
        "a field that could split a message: \(field.name)")
    }
    _ = (head.request.host, UpgradeCheck.isUpgrade(head.request), UpgradeCheck.refusal(of: head))
  }

  // MARK: Answers

  private static func readResponse(
    _ bytes: [UInt8], in pieces: [Range<Int>], isHead: Bool
  ) -> (HTTPResponseParser.Step, HTTPResponse) {
    var parser = HTTPResponseParser(isHead: isHead)
    var step = HTTPResponseParser.Step.needsMore
    for piece in pieces where step == .needsMore {
      step = bytes[piece].withUnsafeBytes { parser.consume($0) }
    }
    return (step == .needsMore ? parser.end() : step, parser.response)
  }

  static func response(_ bytes: [UInt8]) throws {
    for isHead in [false, true] {
      let whole = readResponse(bytes, in: Pieces.whole(bytes), isHead: isHead)
      let cut = readResponse(bytes, in: Pieces.cut(bytes), isHead: isHead)
      try hold(whole == cut, "in one piece \(whole), in pieces \(cut)")
      try hold(whole.1.body.count <= bytes.count, "a body of \(whole.1.body.count) bytes from \(bytes.count)")
      if whole.0 == .complete { try hold((200..<600).contains(whole.1.status), "status \(whole.1.status)") }
    }
  }

  private static let accept = UpgradeAnswer.accept(for: Array("dGhlIHNhbXBsZSBub25jZQ==".utf8))

  /// An answer that is decided by its first bytes stays so, whatever follows.
  static func upgradeAnswer(_ bytes: [UInt8]) throws {
    func read(_ count: Int) -> UpgradeAnswer {
      bytes[..<count].withUnsafeBytes { UpgradeAnswer.read($0, accept: accept, offered: ["postern", "chat"]) }
    }
    let whole = read(bytes.count)
    if case .open(let after) = whole { try hold(after <= bytes.count, "open after \(after) of \(bytes.count) bytes") }
    for end in Pieces.cut(Array(bytes.prefix(2_048))).map(\.upperBound) {
      let early = read(end)
      try hold(early == .needsMore || early == whole, "\(early) after \(end) bytes, \(whole) after all")
    }
  }

  // MARK: Frames

  static func frames(_ bytes: [UInt8]) throws {
    var start = 0
    reading: while true {
      let rest = bytes[start...]
      let reading = rest.withUnsafeBytes { ClientFrame.read($0) }
      guard case .head(let frame) = reading else { break reading }
      try hold([2, 4, 10].contains(frame.headBytes) && frame.payloadBytes >= 0, "\(frame)")
      for count in 0..<frame.headBytes {
        let early = rest.prefix(count).withUnsafeBytes { ClientFrame.read($0) }
        try hold(early == .needsMore, "\(early) after \(count) bytes of \(frame)")
      }
      guard frame.payloadBytes <= rest.count - frame.headBytes else { break reading }
      let payload = rest.dropFirst(frame.headBytes).prefix(frame.payloadBytes)
      try write(payload, frame.opcode)
      try follow(Array(payload))
      start += frame.headBytes + frame.payloadBytes
    }
    try follow(bytes)
  }

  /// Checks that a written frame has the payload behind its mask.
  private static func write(_ payload: ArraySlice<UInt8>, _ opcode: ClientFrame.Opcode) throws {
    let mask: UInt32 = 0x1234_5678
    var buffer = [UInt8](repeating: 0, count: payload.count + ClientFrame.headBytesMax)
    let length = payload.withUnsafeBytes { payload in
      buffer.withUnsafeMutableBytes { ClientFrame.write(opcode, payload, mask: mask, into: $0) }
    }
    let head = length - payload.count
    let key = buffer[(head - 4)..<head]
    let read = buffer[head..<length].enumerated().map { $1 ^ key[head - 4 + $0 & 3] }
    try hold(read.elementsEqual(payload), "a frame of \(payload.count) bytes reads otherwise than it was written")
  }

  private static func follow(_ bytes: [UInt8]) throws {
    let isText = String(validating: bytes, as: UTF8.self) != nil
    try hold(bytes.withUnsafeBytes(UTF8Follower.isText) == isText, "text: \(isText)")
    var follower = UTF8Follower()
    var isGood = true
    for piece in Pieces.cut(bytes) where isGood { isGood = bytes[piece].withUnsafeBytes { follower.take($0) } }
    try hold((isGood && follower.isWhole) == isText, "text in pieces: \(!isText)")
  }

  // MARK: PROXY

  private static func readHeader(_ bytes: [UInt8], byteByByte: Bool) throws -> (ProxyHeader.Step, used: Int) {
    var header = ProxyHeader()
    var used = 0
    while used < bytes.count {
      let wanted = header.wanted
      try hold(wanted.count > 0, "wants \(wanted.count) bytes after \(used)")
      var piece = bytes[used...].prefix(byteByByte ? 1 : wanted.count)
      if wanted.endsAtLineFeed, let end = piece.firstIndex(of: 0x0a) { piece = piece[...end] }
      used += piece.count
      let step = piece.withUnsafeBytes { header.append($0) }
      if step != .needsMore { return (step, used) }
    }
    return (.needsMore, used)
  }

  static func proxyHeader(_ bytes: [UInt8]) throws {
    let whole = try readHeader(bytes, byteByByte: false)
    let cut = try readHeader(bytes, byteByByte: true)
    // A fault may be found in an earlier byte.
    let isSame = whole.0 == cut.0 && (whole.used == cut.used || whole.0 == .invalid)
    // The rest of what was wanted has not arrived.
    try hold(isSame || whole.0 == .needsMore && cut.0 == .invalid, "in one piece \(whole), byte by byte \(cut)")
    try hold(whole.used <= ProxyHeader.bytesMax, "\(whole.used) bytes")
    guard case .complete(let address?) = whole.0 else { return }
    try hold(IPAddress(address.description) == address, "\(address)")
  }
}
