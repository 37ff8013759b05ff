internal import GatewayCore

/// The users in open channels, each for as long as a connection lasts. Kept in memory only, since connections end with
/// the process.
actor SendbirdHalls {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// An open channel with participants.
  private struct Hall {
    /// The channel without its participants.
    var channel: SendbirdChannel
    var participants: [UserID: Set<ConnectionID>] = [:]
  }

  private let executor: any SerialExecutor
  private let limits: SendbirdChannelLimits
  private var halls: [Name: Hall] = [:]
  /// The open channels that a connection is in.
  private var entered: [ConnectionID: Set<Name>] = [:]

  init(on executor: any SerialExecutor, limits: SendbirdChannelLimits) {
    self.executor = executor
    self.limits = limits
  }

  func enter(
    _ channel: SendbirdChannel, user: UserID, by connection: ConnectionID
  ) throws(SendbirdChannelRefusal) -> SendbirdParticipation {
    var hall = halls[channel.url] ?? Hall(channel: channel)
    hall.channel = channel
    let isNew = hall.participants[user] == nil
    guard !isNew || hall.participants.count < limits.participantsOfChannel else { throw .tooManyParticipants }
    let own = entered[connection] ?? []
    guard own.count < limits.channelsOfConnection || own.contains(channel.url) else { throw .tooManyParticipants }
    entered[connection, default: []].insert(channel.url)
    hall.participants[user, default: []].insert(connection)
    halls[channel.url] = hall
    return participation(hall, user, isChange: isNew)
  }

  /// Removes the user's connection; returns nil if nobody is in the channel.
  func exit(_ url: Name, user: UserID, by connection: ConnectionID) -> SendbirdParticipation? {
    forget(url, enteredBy: connection)
    guard var hall = halls[url] else { return nil }
    let wasIn = hall.participants[user]?.remove(connection) != nil
    let isGone = hall.participants[user]?.isEmpty == true
    if isGone { hall.participants[user] = nil }
    halls[url] = hall.participants.isEmpty ? nil : hall
    return participation(hall, user, isChange: wasIn && isGone)
  }

  /// Removes the user or everybody; returns the removed users with their connections.
  func clear(_ url: Name, of user: UserID? = nil) -> [(user: UserID, connections: Set<ConnectionID>)] {
    guard var hall = halls[url] else { return [] }
    let gone = hall.participants.filter { user == nil || $0.key == user }.sorted { $0.key < $1.key }
    for (user, connections) in gone {
      hall.participants[user] = nil
      for connection in connections { forget(url, enteredBy: connection) }
    }
    halls[url] = hall.participants.isEmpty ? nil : hall
    return gone.map { ($0.key, $0.value) }
  }

  func channels(of connection: ConnectionID) -> [Name] {
    (entered[connection] ?? []).sorted()
  }

  /// Returns the participants, sorted by name.
  func participants(_ url: Name) -> [UserID] {
    halls[url]?.participants.keys.sorted() ?? []
  }

  func contains(_ user: UserID, in url: Name) -> Bool {
    halls[url]?.participants[user] != nil
  }

  func count(_ url: Name) -> Int {
    halls[url]?.participants.count ?? 0
  }

  private func participation(_ hall: Hall, _ user: UserID, isChange: Bool) -> SendbirdParticipation {
    var channel = hall.channel
    channel.participantCount = hall.participants.count
    return SendbirdParticipation(channel: channel, user: user, isChange: isChange)
  }

  private func forget(_ url: Name, enteredBy connection: ConnectionID) {
    entered[connection]?.remove(url)
    if entered[connection]?.isEmpty == true { entered[connection] = nil }
  }
}
