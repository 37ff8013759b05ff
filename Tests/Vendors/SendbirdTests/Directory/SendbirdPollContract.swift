import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdPollContract {
  private typealias F = ChannelFixture

  private func poll(_ title: String = "?") -> SendbirdPoll {
    SendbirdPoll(title: title, data: nil, createdBy: F.ann, closeAt: nil, at: F.now)
  }

  @Test(arguments: StoreCase.all)
  func `a poll and its votes are kept, shown in its message, and forgotten with its channel`(_ engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let first = SendbirdChannels(store, on: SerialTestExecutor())
    _ = try await first.create(F.group("a", F.ann, F.bob), at: F.now)
    var wanted = poll()
    for text in ["yes", "no"] { try wanted.add(text, by: F.ann, at: F.now) }
    let made = try await first.create(wanted, at: F.now)
    let sent = try await first.send(
      F.text("?", in: "a", by: F.ann), asking: made.id, needsPresence: true, at: F.now
    ).message
    await withTaskGroup { group in
      for user in [F.ann, F.bob] {
        group.addTask {
          _ = try? await first.changePoll(made.id, at: F.now) { (poll) throws(SendbirdChannelRefusal) in
            try poll.vote([1], by: user, at: F.now)
          }
        }
      }
    }
    let second = SendbirdChannels(store, on: SerialTestExecutor())
    #expect(try await second.poll(made.id, at: F.now).options.first.map { Set($0.voters) } == [F.ann, F.bob])
    #expect(try await second.message(sent.id, in: "a", at: F.now).poll == second.poll(made.id, at: F.now))
    await #expect(throws: SendbirdChannelRefusal.pollNotFound) {
      try await second.send(F.text("?", in: "a", by: F.ann), asking: made.id, needsPresence: true, at: F.now)
    }
    #expect(try await second.create(poll(), at: F.now).id > made.id)
    _ = try await second.delete("a", at: F.now)
    await #expect(throws: SendbirdChannelRefusal.pollNotFound) { try await second.poll(made.id, at: F.now) }
  }

  @Test(arguments: StoreCase.all)
  func `one poll too many is refused, and so are votes beyond the bounds`(_ engine: StoreCase) async throws {
    let limits = SendbirdChannelLimits(polls: 1)
    let channels = SendbirdChannels(try engine.make(), on: SerialTestExecutor(), limits: limits)
    _ = try await channels.create(poll(), at: F.now)
    await #expect(throws: SendbirdChannelRefusal.tooManyMembers) { try await channels.create(poll(), at: F.now) }
    var full = poll()
    for _ in 0..<SendbirdPoll.optionsMax { try full.add("x", by: nil, at: F.now) }
    #expect(throws: SendbirdChannelRefusal.tooManyOptions) { try full.add("x", by: nil, at: F.now) }
    #expect(throws: SendbirdChannelRefusal.tooManyVotes) { try full.vote([1, 2], by: F.ann, at: F.now) }
    full.allowsMultipleVotes = true
    try full.vote([1, 2], by: F.ann, at: F.now)
    #expect(full.voters == [F.ann])
  }

  @Test(arguments: StoreCase.all)
  func `reports are stored, and the oldest are removed for new ones`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let reports = SendbirdReports(store, on: SerialTestExecutor(), max: 3)
    for number in 0..<5 {
      try await reports.add(SendbirdReport(category: "spam", description: "\(number)", at: F.now), at: F.now)
    }
    let again = SendbirdReports(store, on: SerialTestExecutor(), max: 3)
    let page = try await again.reports(from: 0, limit: 2, at: F.now) { _ in true }
    #expect(page.reports.map(\.description) == ["4", "3"] && page.next == 2)
    #expect(try await again.reports(from: 2, limit: 2, at: F.now) { _ in true }.next == nil)
  }
}
