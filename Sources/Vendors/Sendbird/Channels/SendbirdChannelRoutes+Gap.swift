internal import GatewayCore
internal import GatewayJSON

// The messages that a client with a message cache has missed.

extension SendbirdChannelRoutes {
  /// More missing messages than this are a huge gap: the client discards its cache.
  private static let missingMax = 100

  /// Answers a client that caches a range of messages on each side of a point, and sends their numbers: returns the
  /// messages of each range, the newest ones if it may have them all.
  func gap(_ kind: SendbirdChannel.Kind, _ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let channel = try await visible(kind, request)
    let previous = try await stretch("prev", of: channel, request)
    let next = try await stretch("next", of: channel, request)
    let isHuge = previous == nil || next == nil
    return SendbirdResource.answer { json in
      json.member("is_huge_gap", isHuge)
      Self.write("prev_messages", isHuge ? [] : previous ?? [], kind, to: &json)
      Self.write("next_messages", isHuge ? [] : next ?? [], kind, to: &json)
      // One client reads the first two names, another the others.
      for name: StaticString in ["prev_hasmore", "next_hasmore", "prev_has_more", "next_has_more"] {
        json.member(name, false)
      }
      json.member("is_continuous_prev_messages", true)
      json.member("is_continuous_next_messages", true)
    }
  }

  /// Returns the messages of a range; nil if too many are missing.
  private func stretch(
    _ side: String, of channel: SendbirdChannel, _ request: SendbirdRequest
  ) async throws(SendbirdError) -> [SendbirdMessage]? {
    let kept = try request.number("\(side)_cache_count", default: 0, max: .max)
    guard let start = try request.time("\(side)_start_ts"), let end = try request.time("\(side)_end_ts") else {
      return []
    }
    var query = SendbirdMessageQuery(around: .time(start), before: 0, after: .max, includesPoint: true)
    query.until = end
    query.since = try await history(of: channel, request)
    try filter(&query, request)
    let messages = try await ask { [query] () throws(SendbirdChannelRefusal) in
      try await channels.messages(of: channel.url, query, at: services.wallTime)
    }
    // The same number need not mean the same messages: some may have been deleted and others added.
    guard messages.count > kept else { return messages.suffix(SendbirdLimits.messagesOfSide) }
    let isHuge = messages.count - kept > Self.missingMax || messages.count > SendbirdLimits.messagesOfSide
    return isHuge ? nil : messages
  }

  private static func write(
    _ name: StaticString, _ messages: [SendbirdMessage], _ kind: SendbirdChannel.Kind, to json: inout JSONWriter
  ) {
    json.name(name)
    json.beginArray()
    for message in messages { SendbirdMessageObject(message, kind).write(to: &json) }
    json.endArray()
  }
}
