internal import GatewayCore
import GatewayKit

/// The coordinator's calls on a gateway: changes them and notifies their watchers.
struct StreamCalls: Sendable {
  let services: any GatewayServices
  let users: StreamDirectory
  let directory: StreamCallDirectory
  let policy: StreamCallPolicy
  /// The gateway's own SFU, through whose sockets users take part. Nil for an external SFU: users then take part as
  /// soon as they have joined over REST.
  let sfu: StreamSFU?

  init(
    services: any GatewayServices, users: StreamDirectory, directory: StreamCallDirectory,
    policy: StreamCallPolicy = StreamCallPolicy(), sfu: StreamSFU? = nil
  ) {
    self.services = services
    self.users = users
    self.directory = directory
    self.policy = policy
    self.sfu = sfu
  }

  /// Returns the call with the memberships of the caller and `others`; throws if there is none.
  func known(
    _ id: CallID, for rights: StreamCallRights, with others: [UserID] = []
  ) async throws(StreamError) -> StreamCall {
    guard let call = try await call(id, for: rights, with: others) else { throw Self.missing(id) }
    return call
  }

  /// Returns the call with the memberships of the caller and `others`; nil if there is none.
  func call(
    _ id: CallID, for rights: StreamCallRights, with others: [UserID] = []
  ) async throws(StreamError) -> StreamCall? {
    do throws(GatewayError) {
      return try await directory.call(id, with: (rights.user.map { [$0] } ?? []) + others, at: services.wallTime)
    } catch {
      throw StreamError(error)
    }
  }

  /// Returns the call with the caller's membership, nil if there is none, the settings of its type, and the existing ones of
  /// `users`: all at one moment.
  func lookUp(
    _ id: CallID, for rights: StreamCallRights, naming users: [UserID]
  ) async throws(StreamError) -> StreamCallDirectory.Found {
    do throws(GatewayError) {
      return try await directory.lookUp(
        id, with: rights.user.map { [$0] } ?? [], naming: users, at: services.wallTime)
    } catch {
      throw StreamError(error)
    }
  }

  static func missing(_ id: CallID) -> StreamError {
    .doesNotExist("Can't find call with id \(id)")
  }

  /// Changes the call for `user`, and sends its watchers the resulting events and the events in `also`. Removed
  /// participants are told that the call has ended for them, with the reason `end` if it has not ended for all. The
  /// memberships of `user` and `others` are looked up with the call.
  func change(
    _ id: CallID, by user: UserID?, with others: [UserID] = [], at now: WallTime, telling end: StreamCallEnd = .kicked,
    ring: (StreamCall) -> StreamRing? = { _ in nil },
    also: (StreamCallChange) -> [StreamCallEvent.Kind] = { _ in [] }, _ change: StreamCallDirectory.Change
  ) async throws(StreamError) -> StreamCallChange {
    let made: StreamCallChange
    do throws(GatewayError) {
      made = try await changeInTurn(id, by: user, with: others, at: now, ring: ring, also: also, change)
    } catch {
      // Other missing things, such as a participant, have messages of their own.
      throw error == .notFound ? Self.missing(id) : StreamError(error)
    }
    if sfu != nil {
      let left = StreamCallChange.moves(made.before.present, made.after.present).left
      let hasEnded = made.before.endedAt == nil && made.after.endedAt != nil
      letGo(left, of: id, .callEnded(hasEnded ? .ended : end))
    }
    return made
  }

  /// Changes the call, and sends its watchers the resulting events and the events in `also`. This is complete before
  /// the next change of the call, so events arrive in the order of the changes.
  func changeInTurn(
    _ id: CallID, by user: UserID?, with others: [UserID] = [], at now: WallTime,
    ring: (StreamCall) -> StreamRing? = { _ in nil },
    also: (StreamCallChange) -> [StreamCallEvent.Kind] = { _ in [] }, _ change: StreamCallDirectory.Change
  ) async throws(GatewayError) -> StreamCallChange {
    try await directory.turns.inTurn(of: id) { () async throws(GatewayError) in
      let users = (user.map { [$0] } ?? []) + others
      let made = try await directory.updateCall(id, with: users, at: now, ring: ring, change)
      await tell(made.happenings(by: user, at: now) + also(made), of: made.after, at: now)
      return made
    }
  }

  /// Returns a snapshot of the call with its first members, the users it shows, and `others`. Users in `known` are not
  /// read again.
  func picture(
    of call: StreamCall, members limit: Int = 0, with others: [UserID] = [], knowing known: [StreamUser] = []
  ) async throws(StreamError) -> StreamCallPicture {
    do throws(GatewayError) {
      let members = limit == 0 ? [] : try await directory.members(of: call, first: limit, at: services.wallTime)
      return try await draw(
        call, members: members, with: StreamCallPicture.usersShown(in: call).union(others), knowing: known)
    } catch {
      throw StreamError(error)
    }
  }

  /// Returns a snapshot of the call with these members and only these users. Users in `known` are not read again.
  func draw(
    _ call: StreamCall, members: [StreamCallMember] = [], with users: Set<UserID>, knowing known: [StreamUser] = []
  ) async throws(GatewayError) -> StreamCallPicture {
    let shown = users.union(members.map(\.user))
    let unread = shown.subtracting(known.map(\.id))
    var users = try await self.users.users(unread.sorted(), at: services.wallTime)
    users += known.filter { shown.contains($0.id) }
    let online = await services.connected(of: users.map(\.id))
    for index in users.indices { users[index].isOnline = online.contains(users[index].id) }
    return StreamCallPicture(call, members: members, users: users)
  }

  /// Announces what happened in the call, each event to its own audience. If the store is unavailable by now, only
  /// watchers are told, with the users' names alone. Returns the call as it was drawn; nil if the store was
  /// unavailable.
  @discardableResult
  func tell(
    _ happenings: [StreamCallEvent.Kind], of call: StreamCall, knowing known: [StreamUser] = [], at now: WallTime
  ) async -> StreamCallPicture? {
    guard !happenings.isEmpty else { return nil }
    var members: [StreamCallMember] = []
    if happenings.contains(where: { $0.isForMembers || $0.showsMembers }) {
      members = (try? await directory.members(of: call, at: services.wallTime) { _ in true }) ?? []
    }
    let shown = happenings.contains(where: \.showsMembers) ? Array(members.prefix(StreamCallPicture.membersMax)) : []
    let missed = happenings.flatMap { $0.missed(of: members) }
    var named = Set(happenings.flatMap(\.usersNamed) + missed.map(\.user))
    if happenings.contains(where: \.showsParticipants) { named.formUnion(StreamCallPicture.usersShown(in: call)) }
    let drawn = try? await draw(call, members: shown, with: named, knowing: known)
    let picture = drawn ?? StreamCallPicture(call, members: shown, users: [])
    for happening in happenings {
      let event = StreamCallEvent(kind: happening, picture: picture, missed: missed, at: now)
      let frames = services.frames { dialect in
        switch dialect {
        case let dialect as StreamDialect: event.isOfMediaOnly ? nil : event.frame(dialect.kind.family)
        case let dialect as StreamSFUDialect: event.signal?.frame(dialect.format)
        default: nil
        }
      }
      services.announce(Announcement(to: happening.audience(of: call.id, members: members), frames))
      guard !event.isOfMediaOnly else { continue }
      users.webhooks?.post(event.type, of: "video", about: call.id.cid) { event.frame(.video).payload }
    }
    return drawn
  }

  /// Subscribes the connection to the call's events.
  func watch(_ call: CallID, by connection: ConnectionID?) async throws(StreamError) {
    guard let connection else { return }
    if await services.watch(call, by: connection) { return }
    guard await services.user(of: connection) != nil else { throw .connectionIDNotFound("the connection has ended") }
    throw StreamError(.tooMany.detailed("calls that one connection watches"))
  }
}
