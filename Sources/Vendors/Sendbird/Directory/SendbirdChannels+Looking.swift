internal import GatewayCore
internal import GatewayKit

// Queries of channels.

extension SendbirdChannels {
  /// Returns the channel at that URL with all its members; nil if there is none.
  func channel(_ url: Name, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdChannel? {
    try await ask { () async throws(StoreError) in try await read(url, at: now) }
  }

  /// Returns the channel without its members and last message: one row, whatever the number of members. Nil if there is
  /// none.
  func outline(_ url: Name, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdChannel? {
    let row = try await ask { () async throws(StoreError) in
      try await store.get(Self.channels.key(url.text), as: SendbirdChannelRow.self, at: now)
    }
    guard let row else { return nil }
    return try await outline(row)
  }

  /// Runs `telling` in the channel's turn without changing the channel, so that the event has its place among the
  /// others.
  func listening(
    _ url: Name, at now: WallTime, telling: (SendbirdChannel) async -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    try await inTurn(of: url, at: now, news: { _ in [] }, telling: telling) {
      () async throws(SendbirdChannelRefusal) -> SendbirdChannel in
      guard let channel = try await outline(url, at: now) else { throw .channelNotFound }
      return channel
    }
  }

  /// Returns the user's membership of a group channel; nil if there is none.
  func member(
    _ user: UserID, of url: Name, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdMember? {
    return try await ask { () async throws(StoreError) in
      let found = try await store.read(
        [Self.channels.key(url.text), Self.members.key(url.text, user.rawValue)], at: now)
      guard let row = try found[0]?.value(as: SendbirdChannelRow.self) else { return nil }
      return try found[1]?.value(as: SendbirdMemberRow.self).member(of: row)
    }
  }

  /// Returns a page of a query's channels with all their members.
  func channels(
    _ query: SendbirdChannelQuery, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannelPage {
    let (rows, next) = try await find(query, at: now)
    return try await ask { () async throws(StoreError) in
      var page = SendbirdChannelPage(channels: [], next: next)
      for row in rows { page.channels.append(try await whole(row, at: now)) }
      return page
    }
  }

  /// Returns the URLs of the query's channels.
  func urls(_ query: SendbirdChannelQuery, at now: WallTime) async throws(SendbirdChannelRefusal) -> [Name] {
    try await find(query, at: now).rows.map(\.url)
  }

  private func find(
    _ query: SendbirdChannelQuery, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> (rows: [SendbirdChannelRow], next: SendbirdChannelQuery.Place?) {
    try await settle(at: now)
    return try await ask { () async throws(StoreError) in
      var candidates: [SendbirdChannelRow] = []
      if let member = query.member {
        let keys = await memberships.channels(of: member).map { Self.channels.key($0.text) }
        for entry in try await store.read(keys, at: now) {
          if let entry { candidates.append(try entry.value(as: SendbirdChannelRow.self)) }
        }
        if let hiding = query.hiding {
          candidates = try await candidates.filtered(by: hiding, for: member, in: store, at: now)
        }
      } else {
        candidates = try await rows(at: now)
      }
      candidates.removeAll { $0.kind != query.kind }
      // Members and last messages are read only if the query depends on them.
      let rosters = query.asksForMembers ? await memberships.rosters(of: candidates.map(\.url)) : [:]
      let last = query.asksForMessages ? try await lastMessages(of: candidates, at: now) : [:]
      let found = candidates.map { row in
        let members = rosters[row.url].map { roster in
          roster.unread.keys.map {
            SendbirdMember($0, roster.joined.contains($0) ? .joined : .invited, at: row.createdAt)
          }
        }
        return (row: row, channel: row.channel(members: members ?? [], lastMessage: last[row.url]))
      }.filter { query.includes($0.channel) }
        .map { (row: $0.row, place: SendbirdChannelQuery.Place(of: $0.channel)) }
        .sorted { query.puts($0.place, before: $1.place) }
      let rest = found.drop { found in query.after.map { !query.puts($0, before: found.place) } ?? false }
      let page = rest.prefix(query.limit)
      return (page.map(\.row), page.count < rest.count ? page.last?.place : nil)
    }
  }

  private func lastMessages(
    of rows: [SendbirdChannelRow], at now: WallTime
  ) async throws(StoreError) -> [Name: SendbirdMessage] {
    var last: [Name: SendbirdMessage] = [:]
    let keys = rows.map { Self.key($0.lastMessageID, in: $0.url) }
    for (row, entry) in zip(rows, try await store.read(keys, at: now)) {
      last[row.url] = try entry?.value(as: SendbirdMessage.self)
    }
    return last
  }

  // MARK: Rows

  /// Returns all channels.
  func rows(at now: WallTime) async throws(StoreError) -> [SendbirdChannelRow] {
    try await store.scan(Self.channels.range(), limit: .max, at: now).map {
      (entry) throws(StoreError) in try entry.value(as: SendbirdChannelRow.self)
    }
  }

  func read(_ url: Name, at now: WallTime) async throws(StoreError) -> SendbirdChannel? {
    let row = try await store.get(Self.channels.key(url.text), as: SendbirdChannelRow.self, at: now)
    guard let row else { return nil }
    return try await whole(row, at: now)
  }

  /// Returns a channel that was just changed, in its turn, and updates its roster.
  func seated(_ url: Name, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    guard let channel = try await channel(url, at: now) else { throw .channelNotFound }
    await memberships.put(SendbirdRoster(channel), at: url)
    return channel
  }

  /// Returns the members of a channel in the order in which they were added.
  func members(of row: SendbirdChannelRow, at now: WallTime) async throws(StoreError) -> [SendbirdMember] {
    let found = try await store.scan(Self.members.range(row.url.text), limit: .max, at: now)
    let members = try found.map { (entry) throws(StoreError) in try entry.value(as: SendbirdMemberRow.self) }
    return members.sorted { $0.place < $1.place }.map { $0.member(of: row) }
  }

  private func whole(_ row: SendbirdChannelRow, at now: WallTime) async throws(StoreError) -> SendbirdChannel {
    let key = Self.key(row.lastMessageID, in: row.url)
    let last = try await store.get(key, as: SendbirdMessage.self, at: now)
    let members = row.kind == .group ? try await members(of: row, at: now) : []
    var channel = row.channel(members: members, lastMessage: last)
    channel.participantCount = try await participantCount(of: row)
    channel.pinnedMessages = try await pinned(row.properties.pins, in: row.url, at: now)
    return channel
  }

  func outline(_ row: SendbirdChannelRow) async throws(SendbirdChannelRefusal) -> SendbirdChannel {
    var channel = row.channel(members: [], lastMessage: nil)
    channel.joined = await memberships.roster(of: row.url)?.joined ?? []
    channel.participantCount = try await ask { () async throws(StoreError) in try await participantCount(of: row) }
    return channel
  }
}

extension [SendbirdChannelRow] {
  /// Returns the channels that the member hides in this way.
  fileprivate func filtered(
    by hiding: SendbirdChannelQuery.Hiding, for member: UserID, in store: any Store, at now: WallTime
  ) async throws(StoreError) -> Self {
    let places = try await store.read(
      map { SendbirdChannels.members.key($0.url.text, member.rawValue) }, at: now)
    var found: Self = []
    for (row, place) in zip(self, places) {
      guard let member = try place?.value(as: SendbirdMemberRow.self).member(of: row) else { continue }
      if hiding.includes(member.settings) { found.append(row) }
    }
    return found
  }
}
