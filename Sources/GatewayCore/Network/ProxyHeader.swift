/// The PROXY protocol's header, versions 1 and 2, which a proxy sends ahead of a connection that it forwards
/// (https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt). Version 1 is e.g. `PROXY TCP4 203.0.113.7 192.0.2.1
/// 4711 8080`.
///
/// The caller appends bytes as they arrive, never more than ``wanted``, so that no byte after the header is consumed.
package struct ProxyHeader: Hashable, Sendable {
  /// The result of appending bytes.
  package enum Step: Hashable, Sendable {
    case needsMore
    /// The address of the client. Nil if the proxy connects for itself (LOCAL) or does not know the address (UNKNOWN).
    case complete(IPAddress?)
    /// The bytes are no header, or the header is longer than ``bytesMax``.
    case invalid
  }

  /// The longest accepted header. Version 2 may have the proxy's own fields (TLV) at the end.
  package static let bytesMax = 4096
  /// The longest line of version 1, with its line end (section 2.1).
  private static let lineBytesMax = 107
  /// The length of the shortest header: `PROXY UNKNOWN` and a line end.
  private static let shortest = 15
  private static let signature: [UInt8] = [
    0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
  ]
  private static let lineStart = Array("PROXY ".utf8)

  private var bytes: [UInt8] = []

  package init() {}

  /// The number of bytes to read next. The length of version 1 is not known in advance, so it is read only up to a line
  /// feed.
  package var wanted: (count: Int, endsAtLineFeed: Bool) {
    if bytes.count < Self.shortest { return (Self.shortest - bytes.count, false) }
    if isLine { return (Self.lineBytesMax - bytes.count, true) }
    guard bytes.count >= 16 else { return (16 - bytes.count, false) }
    return (length - bytes.count, false)
  }

  private var isLine: Bool { bytes.starts(with: Self.lineStart) }

  /// The length of a version 2 header, of which at least 16 bytes have been read.
  private var length: Int { 16 + Int(bytes[14]) << 8 + Int(bytes[15]) }

  package mutating func append(_ more: UnsafeRawBufferPointer) -> Step {
    bytes.append(contentsOf: more)
    let isLine = bytes.prefix(Self.lineStart.count).elementsEqual(Self.lineStart.prefix(bytes.count))
    let isBinary = bytes.prefix(Self.signature.count).elementsEqual(Self.signature.prefix(bytes.count))
    guard isLine || isBinary else { return .invalid }
    guard bytes.count >= Self.shortest else { return .needsMore }
    return isLine ? readLine() : readBinary()
  }

  // MARK: Version 1

  private func readLine() -> Step {
    guard bytes.last == 0x0a else { return bytes.count < Self.lineBytesMax ? .needsMore : .invalid }
    guard bytes.dropLast().last == 0x0d else { return .invalid }
    let words = bytes.dropLast(2).split(separator: 0x20, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard words.count >= 2 else { return .invalid }
    // The rest of the line after UNKNOWN is ignored.
    if words[1] == "UNKNOWN" { return .complete(nil) }
    guard words.count == 6, let source = IPAddress(words[2]), let target = IPAddress(words[3]),
      Self.isPort(words[4]), Self.isPort(words[5])
    else { return .invalid }
    // A zone is meaningless to another machine (RFC 4007 section 11.2), and the header's form does not allow one.
    guard !words[2].utf8.contains(UInt8(ascii: "%")), !words[3].utf8.contains(UInt8(ascii: "%")) else {
      return .invalid
    }
    // An IPv4 address may be written as mapped into IPv6.
    switch words[1] {
    case "TCP4" where source.isIPv4 && target.isIPv4 && !words[2].contains(":"): return .complete(source)
    case "TCP6" where words[2].contains(":") && words[3].contains(":"): return .complete(source)
    default: return .invalid
    }
  }

  private static func isPort(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(text) != nil
      && (text.utf8.count == 1 || text.utf8.first != 0x30)
  }

  // MARK: Version 2

  private func readBinary() -> Step {
    guard bytes.count >= 16 else { return .needsMore }
    guard bytes[12] >> 4 == 2, length <= Self.bytesMax else { return .invalid }
    guard bytes.count >= length else { return .needsMore }
    switch bytes[12] & 0x0f {
    case 0: return .complete(nil)
    case 1: break
    default: return .invalid
    }
    // The upper half is the address family, the lower half the transport; 1 is a stream.
    let addresses: (family: Int, size: Int)
    switch bytes[13] {
    case 0x11: addresses = (4, 12)
    case 0x21: addresses = (16, 36)
    case 0x00, 0x31: return .complete(nil)
    default: return .invalid
    }
    guard length >= 16 + addresses.size else { return .invalid }
    return .complete(IPAddress(bytes: bytes[16..<16 + addresses.family]))
  }
}
