internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Unread counts of a user, and the number of the user's channels.

extension SendbirdChannelRoutes {
  var countRoutes: [HTTPRoute] {
    let user = "/v3/users/{user_id}"
    return [
      resource.route("GET", user + "/unread_message_count") { request throws(SendbirdError) in
        try await unread(request) { unread, json in
          json.member("unread_count", Int64(unread.messages))
          json.member("unread_custom_types", counts: unread.messagesByType)
        }
      },
      resource.route("GET", user + "/unread_channel_count") { request throws(SendbirdError) in
        try await unread(request) { unread, json in json.member("unread_count", Int64(unread.channels)) }
      },
      resource.route("GET", user + "/unread_item_count") { request throws(SendbirdError) in
        try await unreadItems(request)
      },
      resource.route("GET", user + "/group_channel_count") { request throws(SendbirdError) in
        try await channelCount(request)
      },
    ]
  }

  private func unread(
    _ request: SendbirdRequest, _ write: (SendbirdUnread, inout JSONWriter) -> Void
  ) async throws(SendbirdError) -> HTTPResponse {
    let user = try await own(request)
    let unread = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.unread(user, at: services.wallTime)
    }
    return SendbirdResource.answer { write(unread, &$0) }
  }

  /// The counts that can be requested by name: of all channels, of ordinary ones, or of super ones.
  private static let items: [(name: Name, value: @Sendable (SendbirdTally) -> Int)] = [
    ("group_channel_unread_message_count", { $0.messages }), ("group_channel_unread_mention_count", { $0.mentions }),
    ("group_channel_invitation_count", { $0.invitations }),
  ]

  private func unreadItems(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await own(request)
    guard let keys = request.texts("item_keys") else { throw .missing("item_keys") }
    let tallies = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.tallies(of: user, at: services.wallTime)
    }
    var answer: [Name: Int] = [:]
    for item in Self.items {
      answer[item.name] = item.value(tallies.plain + tallies.super)
      answer[Name("non_super_" + item.name.text)] = item.value(tallies.plain)
      answer[Name("super_" + item.name.text)] = item.value(tallies.super)
    }
    guard keys.isSubset(of: answer.keys) else { throw .invalid("item_keys") }
    return SendbirdResource.answer { json in
      for (key, count) in answer.sorted(by: { $0.key < $1.key }) where keys.contains(key) {
        json.name(key.text)
        json.integer(Int64(count))
      }
    }
  }

  private func channelCount(_ request: SendbirdRequest) async throws(SendbirdError) -> HTTPResponse {
    let user = try await own(request)
    let state: SendbirdMember.State?
    switch request.text("state") {
    case nil, "all": state = nil
    case "joined": state = .joined
    case "invited", "invited_by_friend", "invited_by_non_friend": state = .invited
    default: throw .invalid("state")
    }
    let count = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.channelCount(of: user, state, at: services.wallTime)
    }
    return SendbirdResource.answer { $0.member("group_channel_count", Int64(count)) }
  }
}
