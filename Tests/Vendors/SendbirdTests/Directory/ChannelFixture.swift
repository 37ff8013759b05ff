import GatewayCore
import GatewayKit
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
  ///
  /// - Parameter hasNodes: Whether it shares channels with other nodes.
  static func channels(_ engine: StoreCase, _ room: Int, hasNodes: Bool = false) throws -> SendbirdChannels {
    let limits = SendbirdChannelLimits(
      channels: room, membersOfChannel: room, memberships: 2 * room, participantsOfChannel: room,
      channelsOfConnection: room, bans: room, messagesOfChannel: room, messages: 2 * room,
      deletionsOfChannel: room, departures: room)
    let store = try engine.make()
    return SendbirdChannels(
      store, on: SerialTestExecutor(), limits: limits, turns: hasNodes ? LoneTurns(store) : nil)
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

/// The turns of a node that has no rival. Their rows are in the store, so that commits prove them.
struct LoneTurns: Turns {
  private let store: any Store

  init(_ store: any Store) { self.store = store }

  func take(_ path: StorePath) async throws(StoreError) -> HeldTurn {
    let (key, now) = (StoreKey(path: path, type: TurnRow.self), ChannelFixture.now)
    try await store.transact(at: now) { (transaction: inout StoreTransaction<StoreError>) async throws(StoreError) in
      transaction.put(key, TurnRow())
    }
    guard let version = try await store.read([key], at: now)[0]?.version else { throw .contended }
    return HeldTurn(path, version)
  }

  func give(_ turn: HeldTurn) {}
}
