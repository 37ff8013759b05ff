internal import GatewayCore
internal import GatewayJSON

/// A sender of channel events to the users in the channel. Each event is encoded once for all receivers; in a group
/// channel each receiver's own unread total is appended.
struct SendbirdChannelEvents: Sendable {
  let directory: SendbirdDirectory
  let channels: SendbirdChannels

  /// The categories of `SYEV`.
  enum Category: Int64 {
    case joined = 10000
    case left = 10001
    case invited = 10020
    case declined = 10022
    case entered = 10102
    case exited = 10103
    case unmuted = 10200
    case muted = 10201
    case unbanned = 10600
    case banned = 10601
    case unfrozen = 10700
    case frozen = 10701
    case typingStarted = 10900
    case typingEnded = 10901
    case changed = 11000
    case metadataChanged = 11100
    case countersChanged = 11200
    case pinsChanged = 11300
    case deleted = 12000
    case hidden = 13000
    case unhidden = 13001
  }

  /// Returns the topic of the open channel with that number.
  static func call(_ number: Int64) -> CallID {
    guard let call = CallID(cid: "sendbird-open:\(number)") else { preconditionFailure("digits make a name") }
    return call
  }

  /// Returns the users. If the store is unavailable, events are still sent, with users without their names.
  func who(_ users: Set<UserID>, at now: WallTime) async -> [UserID: SendbirdUser] {
    (try? await directory.users(users, at: now)) ?? [:]
  }

  // MARK: Receivers

  /// Sends a command to all users in an open channel.
  private func tell(
    _ number: Int64, except speaker: ConnectionID?, _ frame: Frame, on services: any GatewayServices
  ) {
    services.announce(to: .call(Self.call(number)), except: speaker, frame, in: SendbirdWire.name)
  }

  /// Sends a command to users of a group channel.
  private func tell(
    _ users: Set<UserID>, except speaker: ConnectionID?, _ frame: Frame, _ unread: [UserID: SendbirdUnread]? = nil,
    on services: any GatewayServices
  ) async {
    let now = services.wallTime
    let unread = if let unread { unread } else { await channels.unreadInTurn(users) }
    let words = frame.adding(unread, to: users, at: now)
    services.announce(Announcement(to: .users(users), except: speaker, [words]))
  }

  /// Sends a command to all users in the channel, or to those `users` of a group channel.
  private func tell(
    _ channel: SendbirdChannel, _ users: Set<UserID>?, except speaker: ConnectionID?, _ frame: Frame,
    on services: any GatewayServices
  ) async {
    switch channel.kind {
    case .open: tell(channel.number, except: speaker, frame, on: services)
    case .group: await tell(users ?? channel.joined, except: speaker, frame, on: services)
    }
  }

  private func tell(
    _ delivery: SendbirdDelivery, except speaker: ConnectionID? = nil, _ frame: Frame, on services: any GatewayServices
  ) async {
    switch delivery.kind {
    case .open: tell(delivery.channelNumber, except: speaker, frame, on: services)
    case .group: await tell(delivery.members, except: speaker, frame, delivery.unread, on: services)
    }
  }

  // MARK: Messages

  /// Announces a sent message: `name` is the command.
  func sent(
    _ name: StaticString, _ delivery: SendbirdDelivery, except speaker: ConnectionID?, on services: any GatewayServices
  ) async {
    await tell(delivery, except: speaker, Self.frame(name, delivery), on: services)
    await hook(.sent, delivery, at: services.wallTime)
    if let thread = Self.thread(delivery, at: services.wallTime) {
      await tell(delivery, except: speaker, thread, on: services)
    }
  }

  /// Answers the sender of a message over the socket: the message, and the changed thread.
  func answer(
    _ name: StaticString, _ delivery: SendbirdDelivery, to user: UserID, _ request: RequestID?, at now: WallTime
  ) -> [Frame] {
    var frames = request.map { [Self.frame(name, delivery, $0)] } ?? []
    if let thread = Self.thread(delivery, at: now) { frames.append(thread) }
    guard delivery.kind == .group else { return frames }
    return frames.map { $0.adding(delivery.unread[user] ?? SendbirdUnread(), at: now) }
  }

  /// Announces a changed message: `name` is the command.
  func changed(
    _ name: StaticString, _ delivery: SendbirdDelivery, except speaker: ConnectionID?, on services: any GatewayServices
  ) async {
    await changed(Self.frame(name, delivery), delivery, except: speaker, on: services)
    await hook(.updated, delivery, at: services.wallTime)
  }

  /// Announces a changed message in a command of another form.
  func changed(
    _ frame: Frame, _ delivery: SendbirdDelivery, except speaker: ConnectionID?, on services: any GatewayServices
  ) async {
    switch delivery.kind {
    case .open: tell(delivery.channelNumber, except: speaker, frame, on: services)
    case .group:
      services.announce(to: .users(delivery.members), except: speaker, frame, in: SendbirdWire.name)
    }
  }

  static func frame(_ name: StaticString, _ delivery: SendbirdDelivery, _ request: RequestID? = nil) -> Frame {
    SendbirdFrame.command(name, request, capacity: 1_024) { json in
      SendbirdMessageObject(delivery.message, delivery.kind).writeCommand(to: &json)
    }
  }

  /// Returns `MTHD`: the thread of the message that this one replies to; nil if it replies to none.
  private static func thread(_ delivery: SendbirdDelivery, at now: WallTime) -> Frame? {
    delivery.parent.map { parent in
      SendbirdFrame.command("MTHD", capacity: 512) { json in
        json.member("channel_url", parent.channelURL.text)
        json.member("channel_type", delivery.kind.rawValue)
        json.member("parent_message_id", parent.id)
        json.member("root_message_id", parent.id)
        json.member("thread_info") { SendbirdMessageObject.write(parent.thread, at: now, to: &$0) }
        json.member("ts", now.milliseconds)
      }
    }
  }

  func deleted(_ delivery: SendbirdDelivery, on services: any GatewayServices) async {
    let now = services.wallTime
    let frame = SendbirdFrame.command("DELM") { json in
      json.member("msg_id", delivery.message.id)
      json.member("channel_url", delivery.message.channelURL.text)
      json.member("channel_type", delivery.kind.rawValue)
      json.member("ts", now.milliseconds)
    }
    await tell(delivery, frame, on: services)
    await hook(.deleted, delivery, at: now)
    if let thread = Self.thread(delivery, at: now) { await tell(delivery, thread, on: services) }
  }

  // MARK: Receipts

  /// Announces that a user has read everything until `time`.
  func read(
    _ channel: SendbirdChannel, by user: SendbirdMessage.Sender, at time: WallTime, except speaker: ConnectionID?,
    on services: any GatewayServices
  ) async {
    let frame = SendbirdFrame.command("READ", capacity: 320) { json in
      Self.writeRead(channel, by: user, at: time, to: &json)
    }
    await tell(channel, nil, except: speaker, frame, on: services)
  }

  /// Announces that a user has marked messages as unread.
  func unread(_ mark: SendbirdUnreadMark, by user: SendbirdMessage.Sender, on services: any GatewayServices) async {
    let frame = SendbirdFrame.command("READ", capacity: 340) { json in
      Self.writeRead(mark.channel, by: user, at: mark.readAt, to: &json)
      json.member("is_excluded", true)
    }
    await tell(mark.channel, nil, except: nil, frame, on: services)
  }

  static func writeRead(
    _ channel: SendbirdChannel, by user: SendbirdMessage.Sender, at time: WallTime, to json: inout JSONWriter
  ) {
    json.member("channel_url", channel.url.text)
    json.member("channel_type", channel.kind.rawValue)
    json.member("ts", time.milliseconds)
    json.member("user") { user.write(to: &$0) }
  }

  /// Announces to the other members that everything until `time` was delivered to a user.
  func delivered(
    _ channel: SendbirdChannel, to user: UserID, at time: WallTime, on services: any GatewayServices
  ) async {
    let frame = SendbirdFrame.command("DLVR", capacity: 200) { json in
      json.member("channel_url", channel.url.text)
      json.member("channel_type", channel.kind.rawValue)
      json.member("updated") { json in
        json.name(user.rawValue)
        json.integer(time.milliseconds)
      }
      json.member("ts", time.milliseconds)
    }
    await tell(channel, channel.joined.subtracting([user]), except: nil, frame, on: services)
  }

  // MARK: Channels

  /// Announces an event of the channel itself.
  func event(
    _ category: Category, in channel: SendbirdChannel, to users: Set<UserID>? = nil,
    except speaker: ConnectionID? = nil, on services: any GatewayServices,
    data: (inout JSONWriter) -> Void = { _ in }
  ) async {
    let frame = Self.frame(category, in: channel, at: services.wallTime, data)
    await tell(channel, users, except: speaker, frame, on: services)
  }

  private static func frame(
    _ category: Category, in channel: SendbirdChannel, at now: WallTime, _ data: (inout JSONWriter) -> Void
  ) -> Frame {
    SendbirdFrame.command("SYEV", capacity: 512) { json in
      json.member("cat", category.rawValue)
      json.member("channel_url", channel.url.text)
      json.member("channel_type", channel.kind.rawValue)
      json.member("ts", now.milliseconds)
      json.member("sts", now.milliseconds)
      json.member("data") { data(&$0) }
    }
  }

  /// Announces an action of a user, or one that concerns a user.
  func event(
    _ category: Category, of user: UserID, in channel: SendbirdChannel, to users: Set<UserID>? = nil,
    except speaker: ConnectionID? = nil, on services: any GatewayServices
  ) async {
    let frame = await frame(category, of: user, in: channel, at: services.wallTime)
    await tell(channel, users, except: speaker, frame, on: services)
  }

  /// Returns the command of that event.
  func frame(_ category: Category, of user: UserID, in channel: SendbirdChannel, at now: WallTime) async -> Frame {
    let known = await who([user], at: now)[user] ?? SendbirdUser(user, createdAt: channel.createdAt)
    return Self.frame(category, in: channel, at: now) { json in
      json.members(of: known)
      if channel.kind == .open { json.member("participant_count", Int64(channel.participantCount)) }
    }
  }

  /// Announces the channel's pinned messages.
  func pinned(_ channel: SendbirdChannel, on services: any GatewayServices) async {
    await event(.pinsChanged, in: channel, on: services) { SendbirdChannelObject.write(pins: channel, to: &$0) }
  }

  func joined(_ membership: SendbirdMembership, on services: any GatewayServices) async {
    guard !membership.changed.isEmpty else { return }
    let users = await who(Set(membership.changed), at: services.wallTime)
    await event(.joined, in: membership.channel, on: services) { json in
      json.member("users", objects: membership.changed) { user, json in
        Self.write(user, users[user], membership.channel.member(user)?.state, in: membership.channel, to: &json)
      }
    }
    await hook("join", "joined_at", in: membership.channel, users: membership.changed, at: services.wallTime)
  }

  /// Announces the members that `inviter` added; members without an inviter have joined by themselves.
  func invited(
    _ membership: SendbirdMembership, by inviter: UserID?, on services: any GatewayServices
  ) async {
    guard let inviter else { return await joined(membership, on: services) }
    guard !membership.changed.isEmpty else { return }
    let channel = membership.channel
    let now = services.wallTime
    let users = await who(Set(membership.changed).union([inviter]), at: now)
    // The invited users receive it too.
    await event(.invited, in: channel, to: channel.joined.union(membership.changed), on: services) { json in
      json.member("inviter") { Self.write(inviter, users[inviter], nil, in: channel, to: &$0) }
      json.member("invitees", objects: membership.changed) { user, json in
        Self.write(user, users[user], channel.member(user)?.state, in: channel, to: &json)
      }
      json.member("invited_at", now.milliseconds)
    }
    await hook("invite", "invited_at", in: channel, users: membership.changed, by: inviter, at: now)
  }

  /// Announces members who left, also to their own other devices.
  func left(
    _ membership: SendbirdMembership, as category: Category = .left, on services: any GatewayServices
  ) async {
    for user in membership.changed {
      let users = membership.channel.joined.union(membership.changed)
      await event(category, of: user, in: membership.channel, to: users, on: services)
    }
    guard category == .left, !membership.changed.isEmpty else { return }
    await hook("leave", "left_at", in: membership.channel, users: membership.changed, at: services.wallTime)
  }

  /// Sends `USEV` to the devices of both users: one blocks or unblocks the other.
  func blocked(_ isBlocked: Bool, _ user: UserID, by blocker: UserID, on services: any GatewayServices) async {
    let now = services.wallTime
    let users = await who([user, blocker], at: now)
    let frame = SendbirdFrame.command("USEV", capacity: 512) { json in
      json.member("cat", isBlocked ? 20001 : 20000)
      json.member("ts", now.milliseconds)
      json.member("data") { json in
        json.member("blocker") { $0.members(of: users[blocker] ?? SendbirdUser(blocker, createdAt: now)) }
        json.member("blockee") { $0.members(of: users[user] ?? SendbirdUser(user, createdAt: now)) }
      }
    }
    services.announce(to: .users([user, blocker]), frame, in: SendbirdWire.name)
  }

  private static func write(
    _ id: UserID, _ user: SendbirdUser?, _ state: SendbirdMember.State?, in channel: SendbirdChannel,
    to json: inout JSONWriter
  ) {
    json.members(of: user ?? SendbirdUser(id, createdAt: channel.createdAt))
    if let state { json.member("state", state.rawValue) }
    json.member("is_active", user?.isActive ?? false)
  }
}
