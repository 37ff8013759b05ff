import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdPreferenceContract {
  private typealias F = ChannelFixture

  @Test(arguments: StoreCase.all)
  func `device tokens are stored until they are removed`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let devices = SendbirdDevices(store)
    for token in ["a", "b", "a"] {
      try await devices.register(token, .gcm, of: F.ann, isUnique: false, at: F.now)
    }
    try await devices.register("a", .gcm, of: F.bob, isUnique: false, at: F.now)
    try await devices.register("a", .apns, of: F.ann, isUnique: false, at: F.now)
    let again = SendbirdDevices(store)
    #expect(try await again.tokens(of: F.ann, .gcm, at: F.now) == ["b", "a"])
    #expect(try await again.owners(of: "a", .gcm, at: F.now) == [F.ann, F.bob])
    try await again.register("a", .gcm, of: F.eve, isUnique: true, at: F.now)
    #expect(try await again.owners(of: "a", .gcm, at: F.now) == [F.eve])
    #expect(try await again.tokens(of: F.ann, .gcm, at: F.now) == ["b"])
    #expect(try await again.unregister("none", .gcm, of: F.ann, at: F.now) == [])
    #expect(try await again.unregisterAll(of: F.ann, at: F.now) == ["b", "a"])
    #expect(try await again.tokens(of: F.ann, .apns, at: F.now) == [])
    #expect(try await again.owners(of: "a", .apns, at: F.now) == [])
  }

  @Test(arguments: StoreCase.all)
  func `of a user's too many device tokens the oldest is removed, and of too many in all none is accepted`(
    _ engine: StoreCase
  ) async throws {
    let devices = SendbirdDevices(try engine.make(), max: SendbirdDevices.perUserMax)
    for number in 0...SendbirdDevices.perUserMax {
      try await devices.register("\(number)", .gcm, of: F.ann, isUnique: false, at: F.now)
    }
    #expect(try await devices.tokens(of: F.ann, .gcm, at: F.now).first == "1")
    #expect(try await devices.owners(of: "0", .gcm, at: F.now) == [])
    await #expect(throws: GatewayError.tooMany.detailed("20 device tokens")) {
      try await devices.register("x", .gcm, of: F.bob, isUnique: false, at: F.now)
    }
    // A token that moves to another owner does not count twice.
    try await devices.register("5", .gcm, of: F.bob, isUnique: true, at: F.now)
    #expect(try await devices.owners(of: "5", .gcm, at: F.now) == [F.bob])
  }

  @Test(arguments: StoreCase.all)
  func `settings are stored, and defaults have no row`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let preferences = SendbirdPreferences(store, max: 1)
    _ = try await preferences.update(F.ann, at: F.now) { $0.joinsAtOnce = false }
    _ = try await preferences.update(F.bob, at: F.now) { $0.push.sound = "default" }
    let again = SendbirdPreferences(store, max: 1)
    #expect(try await again.wantingToBeAsked([F.ann, F.bob], at: F.now) == [F.ann])
    await #expect(throws: GatewayError.tooMany.detailed("1 users' preferences")) {
      try await again.update(F.bob, at: F.now) { $0.push.sound = "bell" }
    }
    try await again.forget(F.ann, at: F.now)
    #expect(try await again.update(F.bob, at: F.now) { $0.push.sound = "bell" }.push.sound == "bell")
  }

  @Test(arguments: StoreCase.all)
  func `a channel is hidden from a member until the next message, or permanently`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let channels = SendbirdChannels(store, on: SerialTestExecutor())
    _ = try await channels.create(F.group("a", F.ann, F.bob), at: F.now)
    _ = try await channels.send(F.text("1", in: "a", by: F.bob), needsPresence: true, at: F.now)
    _ = try await channels.hide("a", from: [F.ann], endsByItself: true, forgets: true, at: F.now)
    _ = try await channels.hide("a", from: [F.bob], endsByItself: false, forgets: false, at: F.now)
    let again = SendbirdChannels(store, on: SerialTestExecutor())
    let hidden = try await again.channel("a", at: F.now)
    #expect(hidden?.member(F.ann)?.settings.hiding?.endsByItself == true)
    #expect(hidden?.member(F.ann)?.settings.historyFrom == F.now && hidden?.member(F.ann)?.unreadCount == 0)
    var query = SendbirdChannelQuery(.group)
    query.member = F.ann
    query.hiding = SendbirdChannelQuery.Hiding.none
    #expect(try await again.urls(query, at: F.now) == [])
    query.hiding = .untilTheNextMessage
    #expect(try await again.urls(query, at: F.now) == ["a"])
    _ = try await again.send(F.text("2", in: "a", by: F.bob), needsPresence: true, at: F.now)
    let shown = try await again.channel("a", at: F.now)
    #expect(shown?.member(F.ann)?.settings.hiding == nil && shown?.member(F.bob)?.settings.hiding != nil)
    query.hiding = SendbirdChannelQuery.Hiding.none
    #expect(try await again.urls(query, at: F.now) == ["a"])
    _ = try await again.unhide("a", from: nil, at: F.now)
    #expect(try await again.channel("a", at: F.now)?.member(F.bob)?.settings.hiding == nil)
    await #expect(throws: SendbirdChannelRefusal.notAMember) {
      try await again.hide("a", from: [F.eve], endsByItself: true, forgets: false, at: F.now)
    }
  }

  @Test(arguments: StoreCase.all)
  func `uncounted channels are not in a member's sums, before a restart and after`(_ engine: StoreCase) async throws {
    let store = try engine.make()
    let channels = SendbirdChannels(store, on: SerialTestExecutor())
    for url in ["a", "b"] as [Name] { _ = try await channels.create(F.group(url, F.ann, F.bob), at: F.now) }
    _ = try await channels.set("a", of: F.ann, at: F.now) { $0.counted = .nothing }
    for url in ["a", "b"] as [Name] {
      var message = F.text("hi", in: url, by: F.bob, at: F.now + .seconds(1))
      message.mentionedUsers = [F.ann]
      _ = try await channels.send(message, needsPresence: true, at: F.now)
    }
    let again = SendbirdChannels(store, on: SerialTestExecutor())
    for channels in [channels, again] {
      #expect(try await channels.unread(F.ann, at: F.now) == SendbirdUnread(messages: 1, channels: 1))
      let tallies = try await channels.tallies(of: F.ann, at: F.now)
      #expect(tallies.plain.messages == 1 && tallies.plain.mentions == 1 && tallies.super == SendbirdTally())
      #expect(try await channels.channelCount(of: F.ann, .joined, at: F.now) == 2)
    }
    _ = try await again.set("a", of: F.ann, at: F.now) { $0.counted = .all }
    #expect(try await again.unread(F.ann, at: F.now).messages == 2)
  }

  @Test(arguments: StoreCase.all)
  func `a ban and a mute end by themselves, and are listed until then`(_ engine: StoreCase) async throws {
    let channels = SendbirdChannels(try engine.make(), on: SerialTestExecutor())
    _ = try await channels.create(F.group("a", F.ann, F.bob), at: F.now)
    _ = try await channels.create(F.open("open"), at: F.now)
    let (until, later) = (F.now + .seconds(10), F.now + .seconds(11))
    _ = try await channels.setMuted(true, F.ann, in: "a", until: until, because: "loud", at: F.now)
    _ = try await channels.setMuted(true, F.ann, in: "open", until: until, at: F.now)
    _ = try await channels.setBanned(true, F.eve, in: "a", until: until, at: F.now)
    await #expect(throws: SendbirdChannelRefusal.muted) {
      try await channels.send(F.text("hi", in: "a", by: F.ann), needsPresence: true, at: F.now)
    }
    for url in ["a", "open"] as [Name] {
      let channel = try #require(try await channels.channel(url, at: F.now))
      #expect(try await channels.muted(in: channel, at: F.now).map(\.user) == [F.ann])
      #expect(try await channels.mute(of: F.ann, in: channel, at: F.now)?.until == until)
      #expect(try await channels.mute(of: F.ann, in: channel, at: later) == nil)
      #expect(try await channels.muted(in: channel, at: later).isEmpty)
    }
    #expect(try await channels.banned(from: "a", at: F.now).map(\.user) == [F.eve])
    await #expect(throws: SendbirdChannelRefusal.banned) { try await channels.join("a", user: F.eve, at: F.now) }
    #expect(try await channels.ban(of: F.eve, in: "a", at: later) == nil)
    #expect(try await channels.join("a", user: F.eve, at: later).changed == [F.eve])
    #expect(
      try await channels.send(F.text("hi", in: "a", by: F.ann), needsPresence: true, at: later).message.text == "hi")
  }
}
