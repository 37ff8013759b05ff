internal import GatewayCore

/// The open channels that the connections of this process are in, and without other nodes their participants. Kept in memory
/// only, since connections end with the process.
actor SendbirdPresence {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// An open channel with participants.
  private struct Entry {
    /// The channel without its participants.
    var channel: SendbirdChannel
    var participants: [UserID: Set<ConnectionID>] = [:]
  }

  private let executor: any SerialExecutor
  private let limits: SendbirdChannelLimits
  private var entries: [Name: Entry] = [:]
  /// The open channels that a connection is in.
  private var entered: [ConnectionID: Set<Name>] = [:]

  init(on executor: any SerialExecutor, limits: SendbirdChannelLimits) {
    self.executor = executor
    self.limits = limits
  }

  func enter(
    _ channel: SendbirdChannel, user: UserID, by connection: ConnectionID
  ) throws(SendbirdChannelRefusal) -> SendbirdParticipation {
    var entry = entries[channel.url] ?? Entry(channel: channel)
    entry.channel = channel
    let isNew = entry.participants[user] == nil
    guard !isNew || entry.participants.count < limits.participantsOfChannel else { throw .tooManyParticipants }
    guard remember(channel.url, enteredBy: connection) != nil else { throw .tooManyParticipants }
    entry.participants[user, default: []].insert(connection)
    entries[channel.url] = entry
    return participation(entry, user, isChange: isNew)
  }

  /// Removes the user's connection; returns nil if the channel is empty.
  func exit(_ url: Name, user: UserID, by connection: ConnectionID) -> SendbirdParticipation? {
    forget(url, enteredBy: connection)
    guard var entry = entries[url] else { return nil }
    let wasIn = entry.participants[user]?.remove(connection) != nil
    let isGone = entry.participants[user]?.isEmpty == true
    if isGone { entry.participants[user] = nil }
    entries[url] = entry.participants.isEmpty ? nil : entry
    return participation(entry, user, isChange: wasIn && isGone)
  }

  /// Removes the user or all users; returns the removed users with their connections.
  func clear(_ url: Name, of user: UserID? = nil) -> [(user: UserID, connections: Set<ConnectionID>)] {
    guard var entry = entries[url] else { return [] }
    let gone = entry.participants.filter { user == nil || $0.key == user }.sorted { $0.key < $1.key }
    for (user, connections) in gone {
      entry.participants[user] = nil
      for connection in connections { forget(url, enteredBy: connection) }
    }
    entries[url] = entry.participants.isEmpty ? nil : entry
    return gone.map { ($0.key, $0.value) }
  }

  /// Notes that the connection is in the channel. Returns whether that was noted before; nil if it is in too many.
  func remember(_ url: Name, enteredBy connection: ConnectionID) -> Bool? {
    let own = entered[connection] ?? []
    if own.contains(url) { return true }
    guard own.count < limits.channelsOfConnection else { return nil }
    entered[connection, default: []].insert(url)
    return false
  }

  /// Notes that the connection is not in the channel.
  func forget(_ url: Name, enteredBy connection: ConnectionID) {
    entered[connection]?.remove(url)
    if entered[connection]?.isEmpty == true { entered[connection] = nil }
  }

  func channels(of connection: ConnectionID) -> [Name] {
    (entered[connection] ?? []).sorted()
  }

  /// Returns the participants, sorted by name.
  func participants(_ url: Name) -> [UserID] {
    entries[url]?.participants.keys.sorted() ?? []
  }

  func contains(_ user: UserID, in url: Name) -> Bool {
    entries[url]?.participants[user] != nil
  }

  func count(_ url: Name) -> Int {
    entries[url]?.participants.count ?? 0
  }

  private func participation(_ entry: Entry, _ user: UserID, isChange: Bool) -> SendbirdParticipation {
    var channel = entry.channel
    channel.participantCount = entry.participants.count
    return SendbirdParticipation(channel: channel, user: user, isChange: isChange)
  }
}
