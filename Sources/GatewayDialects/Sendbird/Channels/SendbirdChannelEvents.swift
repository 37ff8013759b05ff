internal import GatewayCore
internal import GatewayTokens

/// Tells those who are in a channel what happens there. Each event is encoded once, whoever hears it.
struct SendbirdChannelEvents: Sendable {
  let directory: any SendbirdDirectory

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
    case deleted = 12000
  }

  /// What those hear who are in the open channel of that number.
  static func call(_ number: Int64) -> CallID {
    guard let call = CallID(cid: "sendbird-open:\(number)") else { preconditionFailure("digits make a name") }
    return call
  }

  static func audience(of channel: SendbirdChannel) -> Audience {
    channel.kind == .open ? .call(call(channel.number)) : .users(channel.joined)
  }

  private func tell(
    _ audience: Audience, except speaker: ConnectionID? = nil, _ frame: Frame, on services: any GatewayServices
  ) async {
    await services.tell(audience, except: speaker) { dialect, _ in dialect is SendbirdDialect ? frame : nil }
  }

  // MARK: Messages

  /// A message, or what it was changed to: `name` is the command.
  func message(
    _ name: StaticString, _ delivery: SendbirdDelivery, except speaker: ConnectionID?, on services: any GatewayServices
  ) async {
    let frame = SendbirdFrame.command(name, capacity: 768) { json in
      SendbirdMessageObject(delivery.message, delivery.kind).writeCommand(to: &json)
    }
    await tell(Self.audience(of: delivery), except: speaker, frame, on: services)
  }

  func deleted(_ delivery: SendbirdDelivery, on services: any GatewayServices) async {
    let now = services.wallTime
    let frame = SendbirdFrame.command("DELM") { json in
      json.member("msg_id", delivery.message.id)
      json.member("channel_url", delivery.message.channelURL)
      json.member("channel_type", delivery.kind.rawValue)
      json.member("ts", now.milliseconds)
    }
    await tell(Self.audience(of: delivery), frame, on: services)
  }

  private static func audience(of delivery: SendbirdDelivery) -> Audience {
    delivery.kind == .open ? .call(call(delivery.channelNumber)) : .users(delivery.members)
  }

  /// Somebody has read everything until `time`.
  func read(
    _ channel: SendbirdChannel, by user: SendbirdMessage.Sender, at time: WallTime, except speaker: ConnectionID?,
    on services: any GatewayServices
  ) async {
    let frame = SendbirdFrame.command("READ", capacity: 320) { json in
      Self.writeRead(channel, by: user, at: time, to: &json)
    }
    await tell(Self.audience(of: channel), except: speaker, frame, on: services)
  }

  static func writeRead(
    _ channel: SendbirdChannel, by user: SendbirdMessage.Sender, at time: WallTime, to json: inout JSONWriter
  ) {
    json.member("channel_url", channel.url)
    json.member("channel_type", channel.kind.rawValue)
    json.member("ts", time.milliseconds)
    json.member("user") { user.write(to: &$0) }
  }

  // MARK: Channels

  /// Something about the channel itself.
  func event(
    _ category: Category, in channel: SendbirdChannel, to audience: Audience? = nil,
    except speaker: ConnectionID? = nil, on services: any GatewayServices,
    data: (inout JSONWriter) -> Void = { _ in }
  ) async {
    let now = services.wallTime
    let frame = SendbirdFrame.command("SYEV", capacity: 512) { json in
      json.member("cat", category.rawValue)
      json.member("channel_url", channel.url)
      json.member("channel_type", channel.kind.rawValue)
      json.member("ts", now.milliseconds)
      json.member("sts", now.milliseconds)
      json.member("data") { data(&$0) }
    }
    await tell(audience ?? Self.audience(of: channel), except: speaker, frame, on: services)
  }

  /// Something that a user does, or that is done to one.
  func event(
    _ category: Category, of user: UserID, in channel: SendbirdChannel, to audience: Audience? = nil,
    except speaker: ConnectionID? = nil, on services: any GatewayServices
  ) async {
    let known = await directory.user(user) ?? SendbirdUser(user, createdAt: channel.createdAt)
    await event(category, in: channel, to: audience, except: speaker, on: services) { json in
      json.members(of: known)
      if channel.kind == .open { json.member("participant_count", Int64(channel.participantCount)) }
    }
  }

  func joined(_ membership: SendbirdMembership, on services: any GatewayServices) async {
    guard !membership.changed.isEmpty else { return }
    let users = await directory.users(Set(membership.changed))
    await event(.joined, in: membership.channel, on: services) { json in
      json.member("users", objects: membership.changed) { user, json in
        Self.write(user, users[user], .joined, in: membership.channel, to: &json)
      }
    }
  }

  func invited(
    _ membership: SendbirdMembership, by inviter: UserID?, on services: any GatewayServices
  ) async {
    guard !membership.changed.isEmpty else { return }
    let channel = membership.channel
    let now = services.wallTime
    let users = await directory.users(Set(membership.changed).union(inviter.map { [$0] } ?? []))
    // Those who were invited must hear of it too.
    let audience = Audience.users(channel.joined.union(membership.changed))
    await event(.invited, in: channel, to: audience, on: services) { json in
      if let inviter {
        json.member("inviter") { Self.write(inviter, users[inviter], nil, in: channel, to: &$0) }
      }
      json.member("invitees", objects: membership.changed) { user, json in
        Self.write(user, users[user], channel.member(user)?.state, in: channel, to: &json)
      }
      json.member("invited_at", now.milliseconds)
    }
  }

  /// Who left hears of it on their other devices too.
  func left(
    _ membership: SendbirdMembership, as category: Category = .left, on services: any GatewayServices
  ) async {
    for user in membership.changed {
      let audience = Audience.users(membership.channel.joined.union(membership.changed))
      await event(category, of: user, in: membership.channel, to: audience, on: services)
    }
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
