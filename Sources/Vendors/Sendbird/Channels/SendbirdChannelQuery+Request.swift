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
    var numbers = [place.number, place.createdAt]
    if order == .latestLastMessage { numbers += [place.message, place.messageAt] }
    var parts = numbers.map { SendbirdPageToken.text($0) }
    if order == .alphabetical { parts.append(Base64URL.encode(Array(place.name.text.utf8))) }
    return parts.joined(separator: ".")
  }

  /// Returns the place that a token of this order names.
  private func place(_ token: String?) throws(SendbirdError) -> Place? {
    guard let token else { return nil }
    var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var name: Name = ""
    if order == .alphabetical {
      guard let bytes = parts.popLast().flatMap({ Base64URL.decode($0) }) else { throw .invalid("token") }
      name = Name(String(decoding: bytes, as: UTF8.self))
    }
    let numbers = parts.compactMap { SendbirdPageToken.place($0) }
    guard numbers.count == parts.count, numbers.count == (order == .latestLastMessage ? 4 : 2) else {
      throw .invalid("token")
    }
    var place = Place(number: numbers[0], createdAt: numbers[1], name: name)
    if order == .latestLastMessage { (place.message, place.messageAt) = (numbers[2], numbers[3]) }
    return place
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
