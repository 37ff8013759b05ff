import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdFileContract {
  @Test(arguments: StoreCase.all)
  func `a file is stored byte for byte for the next process, until others need its room`(
    _ engine: StoreCase
  ) async throws {
    let store = try engine.make()
    let now = ChannelFixture.now
    let files = SendbirdFiles(store, on: SerialTestExecutor(), bytesMax: 4_000)
    func file(_ id: String, _ bytes: [UInt8]) -> SendbirdFile {
      SendbirdFile(id: id, name: "n", type: "image/png", owner: ChannelFixture.ann, createdAt: now, bytes: bytes)
    }
    let first = file("a", Array(0...255))
    try await files.keep(first, at: now)
    let again = SendbirdFiles(store, on: SerialTestExecutor(), bytesMax: 4_000)
    #expect(try await again.file("a", at: now) == first)
    #expect(try await again.file("b", at: now) == nil)
    for id in ["b", "c", "d"] { try await again.keep(file(id, Array(repeating: 7, count: 1_000)), at: now) }
    for id in ["a", "b"] { #expect(try await again.file(id, at: now) == nil) }
    for id in ["c", "d"] { #expect(try await again.file(id, at: now) != nil) }
    await #expect(throws: GatewayError.tooMany.detailed("4000 bytes of files")) {
      try await again.keep(file("e", Array(repeating: 7, count: 4_000)), at: now)
    }
  }
}
