import Testing

@testable import GatewayServer

struct WaitingBytesTests {
  @Test
  func `bytes that a slow reader has received are released, even if it never receives all`() {
    var waiting = WaitingBytes()
    let piece = [UInt8](repeating: 7, count: 10_000)
    piece.withUnsafeBytes { waiting.append($0) }
    for _ in 0..<10_000 {
      piece.withUnsafeBytes { waiting.append($0) }
      waiting.dropFirst(piece.count)
    }
    #expect(waiting.count == piece.count && !waiting.isEmpty)
    #expect(waiting.held < 200_000, "\(waiting.held)")
  }

  @Test
  func `bytes come out in the order in which they went in`() {
    var waiting = WaitingBytes()
    var (put, taken): (UInt8, UInt8) = (0, 0)
    for round in 0..<2_000 {
      let piece = (0..<(round * 37 % 501)).map { _ in
        put &+= 1
        return put
      }
      piece.withUnsafeBytes { waiting.append($0) }
      let count = waiting.count / 3
      waiting.withUnsafeBytes { bytes in
        for byte in bytes.prefix(count) {
          taken &+= 1
          #expect(byte == taken)
        }
      }
      waiting.dropFirst(count)
    }
    waiting.dropFirst(waiting.count)
    #expect(waiting.isEmpty && waiting.held == 0)
  }
}
