import GatewayCore
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdChannelBytesContract {
  private typealias F = ChannelFixture

  @Test(arguments: StoreCase.all)
  func `a channel directory holds a bounded number of bytes of messages, and the oldest of all channels are removed`(
    _ engine: StoreCase
  ) async throws {
    let limits = SendbirdChannelLimits(messageBytesOfChannel: 300_000, messageBytes: 300_000)
    let directory = try SendbirdChannels(engine.make(), on: SerialTestExecutor(), limits: limits)
    for url in ["a", "b", "c"] as [Name] { _ = try await directory.create(F.group(url, F.ann), at: F.now) }
    let long = String(repeating: "x", count: 20_000)
    for number in 0..<60 {
      let url: Name = number % 3 == 0 ? "a" : number % 3 == 1 ? "b" : "c"
      _ = try await directory.send(F.text("\(number) \(long)", in: url, by: F.ann), needsPresence: true, at: F.now)
      #expect(try #require(await directory.usage).messageBytes <= 300_000)
    }
    let query = SendbirdMessageQuery(around: .time(F.now), before: 0, after: 0, includesPoint: true)
    var kept: Set<Int64> = []
    for url in ["a", "b", "c"] as [Name] {
      kept.formUnion(try await directory.messages(of: url, query, at: F.now).map(\.id))
    }
    #expect(kept.count == 14 && kept == Set(47...60))
    for _ in 0..<30 { _ = try await directory.send(F.text(long, in: "a", by: F.ann), needsPresence: true, at: F.now) }
    #expect(try await directory.channel("b", at: F.now)?.lastMessage == nil)
    #expect(try await directory.messages(of: "a", query, at: F.now).map(\.id) == Array(77...90))
    for id in 77...80 as ClosedRange<Int64> { _ = try await directory.deleteMessage(id, in: "a", by: nil, at: F.now) }
    _ = try await directory.delete("a", at: F.now)
    #expect(await directory.usage?.messageBytes == 0)
    #expect(await directory.usage?.messages == 0)
  }

  @Test(arguments: StoreCase.all)
  func `a channel holds a bounded number of bytes of messages`(_ engine: StoreCase) async throws {
    let limits = SendbirdChannelLimits(messageBytesOfChannel: 100_000)
    let directory = try SendbirdChannels(engine.make(), on: SerialTestExecutor(), limits: limits)
    _ = try await directory.create(F.group("a", F.ann), at: F.now)
    _ = try await directory.create(F.group("b", F.ann), at: F.now)
    _ = try await directory.send(F.text("first", in: "b", by: F.ann), needsPresence: true, at: F.now)
    let long = String(repeating: "x", count: 20_000)
    for _ in 0..<9 { _ = try await directory.send(F.text(long, in: "a", by: F.ann), needsPresence: true, at: F.now) }
    let query = SendbirdMessageQuery(around: .time(F.now), before: 0, after: 0, includesPoint: true)
    #expect(try await directory.messages(of: "a", query, at: F.now).count == 4)
    #expect(try await directory.messages(of: "b", query, at: F.now).count == 1)
    // A message above the limit for all is stored nevertheless, since it was sent.
    let longest = String(repeating: "x", count: 200_000)
    _ = try await directory.send(F.text(longest, in: "a", by: F.ann), needsPresence: true, at: F.now)
    #expect(try await directory.messages(of: "a", query, at: F.now).map(\.text) == [longest])
  }

  @Test(arguments: StoreCase.all)
  func `a channel directory holds a bounded number of bytes of channels, and shrinks again`(_ engine: StoreCase)
    async throws
  {
    let limits = SendbirdChannelLimits(channelBytes: 10_000)
    let directory = try SendbirdChannels(engine.make(), on: SerialTestExecutor(), limits: limits)
    let long = String(repeating: "x", count: 5_000)
    _ = try await directory.create(F.group("a", F.ann) { $0.data = long }, at: F.now)
    await #expect(throws: SendbirdChannelRefusal.tooManyChannels) {
      try await directory.create(F.group("b", F.ann) { $0.data = long }, at: F.now)
    }
    await #expect(throws: SendbirdChannelRefusal.tooManyChannels) {
      try await directory.update("a", at: F.now) { $0.data = long + long }
    }
    #expect(try await directory.channel("a", at: F.now)?.properties.data == long)
    _ = try await directory.update("a", at: F.now) { $0.data = "" }
    _ = try await directory.create(F.group("b", F.ann) { $0.data = long }, at: F.now)
    _ = try await directory.delete("b", at: F.now)
    _ = try await directory.create(F.group("c", F.ann) { $0.data = long }, at: F.now)
  }
}
