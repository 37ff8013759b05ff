package import GatewayCore
internal import GatewayKit

/// Says announcements when their time has come: at most once, whatever happens in between. What an earlier life of the
/// gateway had not begun is said by the next.
package actor SendbirdAnnouncer {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let announcements: SendbirdAnnouncements
  private let directory: SendbirdDirectory
  private let channels: SendbirdChannels
  private let events: SendbirdChannelEvents
  private let services: any GatewayServices
  private let executor: any (SerialExecutor & TaskExecutor)
  private let alarm: SendbirdAlarm

  /// - Parameter executor: One that `GatewayServices.sleep(for:as:)` may be called from: a loop of the gateway.
  package init(
    _ announcements: SendbirdAnnouncements, on executor: any (SerialExecutor & TaskExecutor),
    services: any GatewayServices, directory: SendbirdDirectory, channels: SendbirdChannels
  ) {
    self.announcements = announcements
    self.executor = executor
    self.services = services
    self.directory = directory
    self.channels = channels
    alarm = SendbirdAlarm("announcements that are to be made later", on: executor, services: services)
    events = SendbirdChannelEvents(directory: directory, channels: channels)
  }

  /// Says what is due, and sees to the rest. Where the store is away it is asked again.
  package func look() async {
    let now = services.wallTime
    do throws(GatewayError) {
      let waiting = try await announcements.all(at: now).filter { $0.status == .scheduled }
      for announcement in waiting where announcement.at <= now { try await say(announcement.id) }
      if let next = waiting.lazy.map(\.at).filter({ $0 > now }).min() { await look(at: next) }
    } catch {
      await look(at: now + SendbirdAlarm.patience)
    }
  }

  /// Has them looked at then, and returns at once.
  package func look(at time: WallTime) async {
    await alarm.set(for: time) { await self.look() }
  }

  // MARK: Saying

  private func say(_ id: Name) async throws(GatewayError) {
    let begun = services.wallTime
    guard
      let announcement = try await announcements.change(id, from: [.scheduled], at: begun, { $0.status = .running })
    else { return }
    var (sentChannels, sentUsers) = (0, 0)
    let sender: SendbirdUser?
    if let id = announcement.sender { sender = try await directory.user(id, at: begun) } else { sender = nil }
    // Of a sender who is gone nothing is said.
    if announcement.sender == nil || sender != nil {
      for url in await urls(announcement) {
        guard let members = await say(announcement, of: sender, in: url) else { continue }
        sentChannels += 1
        sentUsers += members
      }
    }
    let (channelCount, userCount, now) = (sentChannels, sentUsers, services.wallTime)
    _ = try await announcements.change(id, from: [.running], at: now) { announcement in
      announcement.status = .done
      announcement.completedAt = now
      announcement.sentChannels = channelCount
      announcement.sentUsers = userCount
    }
  }

  /// How many heard it; nil where the channel does not take it.
  private func say(_ announcement: SendbirdAnnouncement, of sender: SendbirdUser?, in url: Name) async -> Int? {
    let now = services.wallTime
    var message = SendbirdMessage(
      announcement.kind, in: url, by: sender.map { SendbirdMessage.Sender($0) }, text: announcement.text, createdAt: now
    )
    message.data = announcement.data
    message.customType = announcement.customType
    let command: StaticString = announcement.kind == .admin ? "ADMM" : "MESG"
    do throws(SendbirdChannelRefusal) {
      guard let channel = try await channels.channel(url, at: now), channel.kind == .group else { return nil }
      _ = try await channels.send(message, needsPresence: sender != nil, at: now) {
        await events.sent(command, $0, except: nil, on: services)
      }
      return channel.members.count { $0.state == .joined && $0.user != sender?.id }
    } catch {
      return nil
    }
  }

  /// Where it is to be said, each once.
  private func urls(_ announcement: SendbirdAnnouncement) async -> [Name] {
    var seen: Set<Name> = []
    guard announcement.target != .channels else { return announcement.list.filter { seen.insert($0).inserted } }
    guard let sender = announcement.sender else { return [] }
    var query = SendbirdChannelQuery(.group)
    query.limit = .max / 2
    query.member = sender
    query.memberState = .joined
    guard announcement.target != .all else { return (try? await channels.urls(query, at: services.wallTime)) ?? [] }
    var urls: [Name] = []
    for user in announcement.list.map({ UserID($0.text) }) where user != sender {
      if announcement.target == .only { query.membersExactly = [sender, user] } else { query.membersInclude = [user] }
      var found = (try? await channels.urls(query, at: services.wallTime)) ?? []
      if found.isEmpty, announcement.makesChannels, let made = await channel(of: sender, and: user) { found = [made] }
      urls += found.filter { seen.insert($0).inserted }
    }
    return urls
  }

  /// A channel of the two, made now; nil if one of them is gone.
  private func channel(of sender: UserID, and user: UserID) async -> Name? {
    let now = services.wallTime
    guard (try? await directory.users([sender, user], at: now))?.count == 2 else { return nil }
    let digits = String(UInt64(await services.nextShare() * 0x1_0000_0000) | 0x1_0000_0000, radix: 16).dropFirst()
    let channel = SendbirdChannel(
      url: Name("sendbird_group_channel_\(now.milliseconds)_\(digits)"), kind: .group, createdBy: sender,
      createdAt: now, isDistinct: true,
      members: [SendbirdMember(sender, .joined, at: now), SendbirdMember(user, .joined, inviter: sender, at: now)])
    return try? await channels.create(channel, at: now).channel.url
  }
}
