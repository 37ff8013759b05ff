import GatewayCore
import TestTraits
import Testing

struct ProxyHeaderTests {
  /// Returns the result of the header in one piece and byte by byte, which must be equal. No bytes after the header may
  /// be read.
  private func step(_ bytes: [UInt8], followedBy rest: [UInt8] = Array("GET / HTTP/1.1\r\n\r\n".utf8))
    -> ProxyHeader.Step
  {
    func read(inPiecesOf most: Int) -> (ProxyHeader.Step, used: Int) {
      var header = ProxyHeader()
      let all = bytes + rest
      var used = 0
      while used < all.count {
        let wanted = header.wanted
        var piece = all[used..<min(all.count, used + min(wanted.count, most))]
        if wanted.endsAtLineFeed, let end = piece.firstIndex(of: 0x0a) { piece = piece[...end] }
        used += piece.count
        let step = Array(piece).withUnsafeBytes { header.append($0) }
        if step != .needsMore { return (step, used) }
      }
      return (.needsMore, used)
    }
    let (whole, used) = read(inPiecesOf: .max)
    let (single, usedSingly) = read(inPiecesOf: 1)
    #expect(whole == single)
    if case .complete = whole { #expect(used == bytes.count && usedSingly == bytes.count) }
    return whole
  }

  private func binary(
    _ addresses: [UInt8], command: UInt8 = 0x21, family: UInt8 = 0x11, length: Int? = nil
  ) -> [UInt8] {
    let length = length ?? addresses.count
    return [0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a, command, family]
      + [UInt8(length >> 8), UInt8(length & 0xff)] + addresses
  }

  @Test(arguments: [
    ("PROXY TCP4 203.0.113.7 192.0.2.1 56324 443\r\n", "203.0.113.7"),
    ("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255"),
    ("PROXY TCP6 2001:db8::7 2001:db8::1 1 0\r\n", "2001:db8::7"),
    ("PROXY TCP6 ::ffff:203.0.113.7 ::1 1 2\r\n", "203.0.113.7"), ("PROXY UNKNOWN\r\n", nil),
    ("PROXY UNKNOWN ffff:f...f:ffff whatever it says 1\r\n", nil),
  ])
  func `PROXY version 1 gives the client's address, or says that it is unknown`(line: String, client: String?) {
    #expect(step(Array(line.utf8)) == .complete(client.flatMap { IPAddress($0) }))
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n", "PROXY TCP4 203.0.113.7 192.0.2.1 56324\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n",
    "PROXY TCP4 ::ffff:1.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
    "PROXY TCP4 203.0.113.7 192.0.2.1 99999 1\r\n", "PROXY TCP4 203.0.113.7 192.0.2.1 01 1\r\n",
    "PROXY TCP4  203.0.113.7 192.0.2.1 1 1\r\n", "PROXY TCP4 203.0.113.7 192.0.2.1 1 1\n",
    "PROXY tcp4 1.2.3.4 1.2.3.4 1 1\r\n",
    "PROXY UDP4 1.2.3.4 1.2.3.4 1 1\r\n", "PROXY TCP6 fe80::1%eth0 ::1 1 1\r\n", "PROXY TCP6 ::1 fe80::1%1 1 1\r\n",
    "PROXY  UNKNOWN\r\n",
    "PROXY UNKNOWN \(String(repeating: "x", count: 200))\r\n",
    "proxy UNKNOWN\r\n........", "PROXY TCP4 1.2.3.4 1.2.3.4 1 \u{661}\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 +1\r\n",
  ])
  func `a malformed PROXY version 1 header is refused`(line: String) {
    #expect(step(Array(line.utf8)) == .invalid)
  }

  @Test
  func `PROXY version 2 gives the client's address whatever fields follow, or says that there is none`() {
    let four: [UInt8] = [203, 0, 113, 7, 192, 0, 2, 1, 0xdc, 4, 1, 0xbb]
    let six: [UInt8] =
      [0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 1, count: 20)
    let client = IPAddress("203.0.113.7")
    #expect(step(binary(four)) == .complete(client))
    #expect(step(binary(four + [0x04, 0, 2, 9, 9])) == .complete(client))
    #expect(step(binary(four + [UInt8](repeating: 1, count: 4000))) == .complete(client))
    #expect(step(binary(six, command: 0x21, family: 0x21)) == .complete(IPAddress("2001:db8::7")))
    #expect(step(binary([], command: 0x20, family: 0x00)) == .complete(nil))
    #expect(step(binary(four, command: 0x20, family: 0x11)) == .complete(nil), "LOCAL: the addresses mean nothing")
    #expect(step(binary([1, 2, 3], command: 0x21, family: 0x00)) == .complete(nil))
    #expect(
      step(binary([UInt8](repeating: 0, count: 216), command: 0x21, family: 0x31)) == .complete(nil), "a UNIX socket")
  }

  @Test
  func `a malformed PROXY version 2 header is refused`() {
    let four: [UInt8] = [203, 0, 113, 7, 192, 0, 2, 1, 0xdc, 4, 1, 0xbb]
    #expect(step(binary(four, command: 0x11, family: 0x11)) == .invalid, "another version")
    #expect(step(binary(four, command: 0x22, family: 0x11)) == .invalid, "another command")
    #expect(step(binary(four, command: 0x21, family: 0x12)) == .invalid, "datagrams")
    #expect(step(binary([1, 2, 3], command: 0x21, family: 0x11)) == .invalid, "too short for its family")
    #expect(step(binary(four, command: 0x21, family: 0x21)) == .invalid, "too short for its family")
    #expect(step(binary(four, command: 0x21, family: 0x11, length: 65_535)) == .invalid, "longer than anybody sends")
    #expect(step(binary(four, command: 0x21, family: 0x11, length: 4_081)) == .invalid)
    #expect(step([0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0b, 0x21, 0x11, 0, 0]) == .invalid)
    #expect(step(Array(binary(four).prefix(20)), followedBy: []) == .needsMore)
  }

  @Test(.long)
  func `a PROXY header never takes bytes beyond its limits, nor traps on any`() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      var header = ProxyHeader()
      var bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) }
      if Bool.random(using: &generator) { bytes.replaceSubrange(0..<13, with: binary([]).prefix(13)) }
      if Bool.random(using: &generator) { bytes.replaceSubrange(0..<6, with: Array("PROXY ".utf8)) }
      for byte in bytes {
        guard [byte].withUnsafeBytes({ header.append($0) }) == .needsMore else { break }
        #expect((1...ProxyHeader.bytesMax).contains(header.wanted.count))
      }
    }
  }
}
