import Testing

@testable import GatewayServer

struct ClientFrameTests {
  private func read(_ bytes: [UInt8]) -> ClientFrame.Reading { bytes.withUnsafeBytes { ClientFrame.read($0) } }

  @Test
  func `a head is read with either form of a longer length`() {
    #expect(read([0x81, 5]) == .head(ClientFrame(opcode: .text, isFinal: true, headBytes: 2, payloadBytes: 5)))
    #expect(
      read([0x02, 126, 1, 0]) == .head(ClientFrame(opcode: .binary, isFinal: false, headBytes: 4, payloadBytes: 256)))
    #expect(
      read([0x80, 127, 0, 0, 0, 0, 0, 1, 0, 0])
        == .head(ClientFrame(opcode: .continuation, isFinal: true, headBytes: 10, payloadBytes: 65_536)))
  }

  @Test(arguments: [[], [0x81], [0x81, 126], [0x81, 126, 1], [0x81, 127, 0, 0, 0, 0, 0, 0, 0]])
  func `a head that is not all there waits`(bytes: [UInt8]) {
    #expect(read(bytes) == .needsMore)
  }

  @Test(
    arguments: [
      // Masked; the three reserved bits; unknown opcodes; a fragmented ping, and one that is too long; a length above
      // 63 bits.
      [0x81, 0x85], [0xc1, 5], [0xa1, 5], [0x91, 5], [0x83, 0], [0x8b, 0], [0x09, 0], [0x89, 126], [0x88, 127],
      [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func `bytes that no server may send are not read as a frame's head`(bytes: [UInt8]) {
    #expect(read(bytes) == .invalid)
  }

  @Test(arguments: [0, 1, 7, 8, 9, 125, 126, 65_535, 65_536])
  func `a frame is written with its mask, and unmasked it is the original`(count: Int) {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
    var buffer = [UInt8](repeating: 0, count: count + ClientFrame.headBytesMax)
    let length = buffer.withUnsafeMutableBytes { buffer in
      payload.withUnsafeBytes { ClientFrame.write(.binary, $0, mask: 0xdead_beef, into: buffer) }
    }
    let extra = count <= 125 ? 0 : count <= 65_535 ? 2 : 8
    #expect(length == 6 + extra + count)
    #expect(buffer[0] == 0x82)
    #expect(buffer[1] & 0x80 != 0)
    let mask = Array(buffer[(2 + extra)..<(6 + extra)])
    #expect(mask == [0xef, 0xbe, 0xad, 0xde])
    let said = buffer[(6 + extra)..<length].enumerated().map { $1 ^ mask[$0 & 3] }
    #expect(said == payload)
    // Our own parser understands its length, except for the mask.
    var head = Array(buffer[..<(2 + extra)])
    head[1] &= 0x7f
    #expect(read(head) == .head(ClientFrame(opcode: .binary, isFinal: true, headBytes: 2 + extra, payloadBytes: count)))
  }
}
