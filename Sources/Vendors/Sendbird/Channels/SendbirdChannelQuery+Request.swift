internal import GatewayCore

extension SendbirdChannelQuery {
  /// What the parameters of a list ask for.
  init(_ kind: SendbirdChannel.Kind, _ request: SendbirdRequest) throws(SendbirdError) {
    self.init(kind)
    limit = try request.limit
    offset = try request.pageStart
    urls = request.texts("channel_urls")
    let types = request.texts("custom_types") ?? request.texts("custom_type")
    customTypes = types.flatMap { $0.contains("*") ? nil : $0 }
    nameContains = request.text("name_contains")
    showsFrozen = try request.flag("show_frozen") ?? true
    guard kind == .group else { return }
    // There are no channels of notifications.
    if try request.flag("is_feed_channel") ?? false { urls = [] }
    showsEmpty = try request.flag("show_empty") ?? true
    membersInclude = request.texts("members_include_in").map { Set($0.map { UserID($0) }) }
    membersExactly = request.texts("members_exactly_in").map { Set($0.map { UserID($0) }) }
    isDistinct = try Self.mode(request, "distinct_mode", "distinct", "nondistinct")
    isPublic = try Self.mode(request, "public_mode", "public", "private")
    switch request.text("order") {
    case nil, "chronological": order = .chronological
    case "latest_last_message": order = .latestLastMessage
    case "channel_name_alphabetical": order = .alphabetical
    // By what an application noted: as if nothing had been said.
    case "metadata_value_alphabetical": order = .chronological
    default: throw .invalid("order")
    }
  }

  /// One of the two words, or `all`.
  private static func mode(
    _ request: SendbirdRequest, _ name: String, _ yes: String, _ no: String
  ) throws(SendbirdError) -> Bool? {
    switch request.text(name) {
    case nil, "all": return nil
    case yes: return true
    case no: return false
    default: throw .invalid(name)
    }
  }
}
