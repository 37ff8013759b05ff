internal import GatewayCore
internal import GatewayKit

/// A sender of due announcements. Each channel gets an announcement at most once, whatever happens in between. If the
/// store is unavailable, it waits. After a process has died, its announcements that had not begun are sent; others are
/// finished, with the number of channels reached so far.
actor SendbirdAnnouncer {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let announcements: SendbirdAnnouncements
  private let directory: SendbirdDirectory
  private let channels: SendbirdChannels
  private let events: SendbirdChannelEvents
  private let services: any GatewayServices
  private let executor: any (SerialExecutor & TaskExecutor)
  private let timer: DueTimer
  /// The announcements that are being sent.
  private var underWay: Set<Name> = []

  /// Creates a sender that does nothing before ``takeOver(_:at:)``.
  ///
  /// - Parameter executor: An executor from which `GatewayServices.sleep(for:as:)` may be called: a loop of the
  ///   gateway.
  init(
    _ announcements: SendbirdAnnouncements, on executor: any (SerialExecutor & TaskExecutor),
    services: any GatewayServices, directory: SendbirdDirectory, channels: SendbirdChannels
  ) {
    self.announcements = announcements
    self.executor = executor
    self.services = services
    self.directory = directory
    self.channels = channels
    timer = DueTimer("announcements that are to be made later", on: executor, services: services)
    events = SendbirdChannelEvents(directory: directory, channels: channels)
  }

  /// Finishes what `dead` boots had begun, and sends what is due.
  func takeOver(_ dead: DeadBoots, at now: WallTime) async throws(GatewayError) {
    for announcement in try await announcements.all(at: now) where announcement.status == .running {
      guard announcement.sentBy.map(dead.contains) ?? dead.isEverybody else { continue }
      try await finish(announcement.id)
    }
    await look()
  }

  /// Sends what is due, and schedules the next look. Tries again if the store is unavailable.
  func look() async {
    let now = services.wallTime
    do throws(GatewayError) {
      let waiting = try await announcements.all(at: now).filter {
        $0.status == .scheduled || $0.status == .running && $0.sentBy == announcements.life
      }
      for announcement in waiting where announcement.at <= now { try await say(announcement.id) }
      if let next = waiting.lazy.map(\.at).filter({ $0 > now }).min() { await look(at: next) }
    } catch {
      await look(at: now + DueTimer.retryDelay)
    }
  }

  /// Schedules a look for that time, and returns at once.
  func look(at time: WallTime) async {
    await timer.set(for: time) { await self.look() }
  }

  // MARK: Sending

  private func say(_ id: Name) async throws(GatewayError) {
    guard underWay.insert(id).inserted else { return }
    defer { underWay.remove(id) }
    let now = services.wallTime
    guard let known = try await announcements.announcement(id, at: now) else { return }
    let sender: SendbirdUser?
    if let id = known.sender { sender = try await directory.user(id, at: now) } else { sender = nil }
    // If its sender was deleted, nothing is sent.
    let urls = known.sender == nil || sender != nil ? try await urls(known) : []
    guard let announcement = try await announcements.begin(id, at: now) else { return }
    for url in urls {
      await services.insist { () async throws(GatewayError) in try await say(announcement, of: sender, in: url) }
    }
    await services.insist { () async throws(GatewayError) in try await finish(id) }
  }

  private func finish(_ id: Name) async throws(GatewayError) {
    let now = services.wallTime
    _ = try await announcements.change(id, from: [.running], at: now) { announcement in
      announcement.status = .done
      announcement.completedAt = now
    }
  }

  /// Sends it in one channel, if the channel accepts it.
  private func say(
    _ announcement: SendbirdAnnouncement, of sender: SendbirdUser?, in url: Name
  ) async throws(GatewayError) {
    let now = services.wallTime
    var message = SendbirdMessage(
      announcement.kind, in: url, by: sender.map { SendbirdMessage.Sender($0) }, text: announcement.text, createdAt: now
    )
    message.data = announcement.data
    message.customType = announcement.customType
    let command: StaticString = announcement.kind == .admin ? "ADMM" : "MESG"
    _ = try await ask { () async throws(SendbirdChannelRefusal) in
      guard let channel = try await channels.channel(url, at: now), channel.kind == .group else { return }
      let hearers = channel.members.count { $0.state == .joined && $0.user != sender?.id }
      _ = try await channels.send(
        message, needsPresence: sender != nil, at: now,
        telling: { await events.sent(command, $0, except: nil, on: services) },
        also: { (transaction) throws(StoreOr<SendbirdChannelRefusal>) in
          let isNew = try await announcements.noteSaid(announcement.id, in: url, to: hearers, in: &transaction, at: now)
          // It was sent already, but the answer was lost.
          if !isNew { throw .failure(.messageNotFound) }
        })
    }
  }

  /// Returns the channels' answer; nil if they refuse.
  private func ask<Answer>(
    _ question: () async throws(SendbirdChannelRefusal) -> Answer
  ) async throws(GatewayError) -> Answer? {
    do throws(SendbirdChannelRefusal) {
      return try await question()
    } catch {
      if error == .storeUnavailable { throw .storeUnavailable }
      return nil
    }
  }

  /// Returns the URLs of its channels, each once.
  private func urls(_ announcement: SendbirdAnnouncement) async throws(GatewayError) -> [Name] {
    var seen: Set<Name> = []
    guard announcement.target != .channels else { return announcement.list.filter { seen.insert($0).inserted } }
    guard let sender = announcement.sender else { return [] }
    var query = SendbirdChannelQuery(.group)
    query.limit = .max / 2
    query.member = sender
    query.memberState = .joined
    guard announcement.target != .all else { return try await urls(query) }
    var urls: [Name] = []
    for user in announcement.list.map({ UserID($0.text) }) where user != sender {
      if announcement.target == .only { query.membersExactly = [sender, user] } else { query.membersInclude = [user] }
      var found = try await self.urls(query)
      if found.isEmpty, announcement.makesChannels, let made = try await channel(of: sender, and: user) {
        found = [made]
      }
      urls += found.filter { seen.insert($0).inserted }
    }
    return urls
  }

  private func urls(_ query: SendbirdChannelQuery) async throws(GatewayError) -> [Name] {
    try await ask { () async throws(SendbirdChannelRefusal) in
      try await channels.urls(query, at: services.wallTime)
    } ?? []
  }

  /// Returns a channel of the two users, creating it if needed; nil if one of them was deleted.
  private func channel(of sender: UserID, and user: UserID) async throws(GatewayError) -> Name? {
    let now = services.wallTime
    guard try await directory.users([sender, user], at: now).count == 2 else { return nil }
    let digits = String(UInt64(await services.nextShare() * 0x1_0000_0000) | 0x1_0000_0000, radix: 16).dropFirst()
    let channel = SendbirdChannel(
      url: Name("sendbird_group_channel_\(now.milliseconds)_\(digits)"), kind: .group, createdBy: sender,
      createdAt: now, isDistinct: true,
      members: [SendbirdMember(sender, .joined, at: now), SendbirdMember(user, .joined, inviter: sender, at: now)])
    return try await ask { () async throws(SendbirdChannelRefusal) in
      try await channels.create(channel, at: now).channel.url
    }
  }
}
