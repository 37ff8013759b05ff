import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdMarkContract {
  private typealias F = ChannelFixture

  @Test(arguments: StoreCase.all)
  func `reactions, pins, counters and translations are stored for the next process`(_ engine: StoreCase)
    async throws
  {
    let store = try engine.make()
    let first = SendbirdChannels(store, on: SerialTestExecutor())
    _ = try await first.create(F.group("a", F.ann, F.bob), at: F.now)
    let id = try await first.send(F.text("hi", in: "a", by: F.bob), needsPresence: true, at: F.now).message.id
    for user in [F.ann, F.bob] {
      _ = try await first.react("+1", isAdding: true, to: id, in: "a", by: user, needsPresence: true, at: F.now)
    }
    _ = try await first.setPinned(true, id, in: "a", at: F.now)
    _ = try await first.translate(id, in: "a", to: ["de"], at: F.now)
    _ = try await first.update("a", at: F.now) { $0.counters["likes"] = .max }

    let second = SendbirdChannels(store, on: SerialTestExecutor())
    let message = try await second.message(id, in: "a", at: F.now)
    #expect(message.reactions == [SendbirdReaction("+1", users: [F.ann, F.bob], updatedAt: F.now)])
    #expect(message.translations == ["de": "hi"] && message.changedAt == F.now)
    let channel = try await second.channel("a", at: F.now)
    #expect(channel?.pinnedMessages.map(\.id) == [id] && channel?.properties.counters == ["likes": .max])
    await #expect(throws: SendbirdChannelRefusal.notAMember) {
      try await second.react("+1", isAdding: true, to: id, in: "a", by: F.eve, needsPresence: true, at: F.now)
    }
    _ = try await second.deleteMessage(id, in: "a", by: F.bob, at: F.now)
    #expect(try await second.channel("a", at: F.now)?.properties.pins == [])
  }

  @Test(arguments: StoreCase.all)
  func `no reaction of many at once is lost`(_ engine: StoreCase) async throws {
    let channels = SendbirdChannels(try engine.make(), on: SerialTestExecutor())
    let users = (0..<20).map { UserID("user\($0)") }
    let members = users.map { SendbirdMember($0, .joined, at: F.now) }
    _ = try await channels.create(
      SendbirdChannel(url: "a", kind: .group, createdBy: nil, createdAt: F.now, members: members), at: F.now)
    let id = try await channels.send(F.text("hi", in: "a", by: users[0]), needsPresence: true, at: F.now).message.id
    await withTaskGroup { group in
      for user in users {
        group.addTask {
          _ = try? await channels.react(
            "+1", isAdding: true, to: id, in: "a", by: user, needsPresence: true, at: F.now)
        }
      }
    }
    #expect(try await Set(channels.message(id, in: "a", at: F.now).reactions.flatMap(\.users)) == Set(users))
  }
}
