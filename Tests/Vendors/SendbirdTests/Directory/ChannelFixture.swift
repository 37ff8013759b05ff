import GatewayCore
import TestSupport
import Testing

@testable import GatewaySendbird

/// Names and times that the contract's suites share.
enum ChannelFixture {
  static let ann = UserID("ann")
  static let bob = UserID("bob")
  static let eve = UserID("eve")
  static let now = WallTime(seconds: 1_000)
  static let phone = ConnectionID(loop: 0, serial: 1)
  static let laptop = ConnectionID(loop: 1, serial: 1)

  /// Returns a directory with room for `room` of everything.
  static func channels(_ engine: StoreCase, _ room: Int) throws -> SendbirdChannels {
    let limits = SendbirdChannelLimits(
      channels: room, membersOfChannel: room, memberships: 2 * room, participantsOfChannel: room,
      channelsOfConnection: room, bans: room, messagesOfChannel: room, messages: 2 * room,
      deletionsOfChannel: room, departures: room)
    return try SendbirdChannels(engine.make(), on: SerialTestExecutor(), limits: limits)
  }

  static func group(
    _ url: Name, _ members: UserID..., isDistinct: Bool = false,
    change: (inout SendbirdChannel.Properties) -> Void = { _ in }
  ) -> SendbirdChannel {
    var properties = SendbirdChannel.Properties()
    change(&properties)
    return SendbirdChannel(
      url: url, kind: .group, createdBy: members.first, createdAt: now, properties: properties,
      isDistinct: isDistinct, members: members.map { SendbirdMember($0, .joined, at: now) })
  }

  static func open(_ url: Name) -> SendbirdChannel {
    SendbirdChannel(url: url, kind: .open, createdBy: nil, createdAt: now)
  }

  static func text(_ text: String, in url: Name, by user: UserID?, at time: WallTime = now) -> SendbirdMessage {
    SendbirdMessage(
      user == nil ? .admin : .text, in: url, by: user.map { .init(SendbirdUser($0, createdAt: now)) }, text: text,
      createdAt: time)
  }
}
