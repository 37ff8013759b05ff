internal import GatewayCore
internal import GatewayTokens

extension SendbirdChannelQuery {
  /// Reads the parameters of a list.
  init(_ kind: SendbirdChannel.Kind, _ request: SendbirdRequest) throws(SendbirdError) {
    self.init(kind)
    limit = try request.limit
    urls = request.texts("channel_urls")
    let types = request.texts("custom_types") ?? request.texts("custom_type")
    customTypes = types.flatMap { $0.contains("*") ? nil : $0 }
    nameContains = request.text("name_contains")
    showsFrozen = try request.flag("show_frozen") ?? true
    guard kind == .group else {
      after = try place(request.text("token"))
      return
    }
    // There are no notification channels.
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
    // Sorting by metadata is not supported, and treated as no order given.
    case "metadata_value_alphabetical": order = .chronological
    default: throw .invalid("order")
    }
    after = try place(request.text("token"))
  }

  /// Returns the token of the page after this one; empty on the last page.
  func token(of place: Place?) -> String {
    guard let place else { return "" }
    let number = SendbirdPageToken.text(place.number)
    return switch order {
    case .chronological: number
    case .latestLastMessage: "\(number).\(SendbirdPageToken.text(place.message))"
    case .alphabetical: "\(number).\(Base64URL.encode(Array(place.name.text.utf8)))"
    }
  }

  /// Returns the place that a token of this order names.
  private func place(_ token: String?) throws(SendbirdError) -> Place? {
    guard let token else { return nil }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard let number = SendbirdPageToken.place(String(parts[0])), parts.count == (order == .chronological ? 1 : 2)
    else { throw .invalid("token") }
    switch order {
    case .chronological: return Place(number: number)
    case .latestLastMessage:
      guard let message = SendbirdPageToken.place(String(parts[1])) else { throw .invalid("token") }
      return Place(number: number, message: message)
    case .alphabetical:
      guard let name = Base64URL.decode(String(parts[1])) else { throw .invalid("token") }
      return Place(number: number, name: Name(String(decoding: name, as: UTF8.self)))
    }
  }

  /// Reads one of two words, or `all`.
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
