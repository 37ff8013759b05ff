internal import GatewayCore
internal import GatewayJSON

/// A request body with files.
struct SendbirdForm: Sendable {
  private let parts: [SendbirdMultipart.Part]

  /// Fails if the request has no such body, or an unreadable one.
  init?(_ request: HTTPRequest) {
    guard let boundary = request.header("content-type").flatMap(SendbirdMultipart.boundary),
      let multipart = SendbirdMultipart(request.body, boundary: boundary)
    else { return nil }
    parts = multipart.parts
  }

  /// Returns the file with that name.
  func file(_ name: String) -> SendbirdMultipart.Part? {
    parts.first { $0.fileName != nil && $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// Returns the field with that name.
  func text(_ name: String) -> String? {
    parts.first { $0.fileName == nil && $0.name.utf8.elementsEqual(name.utf8) }
      .map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// The other fields as a JSON object. Fields that contain a list or object as JSON, a boolean word, or digits become
  /// such values if their names are of that type.
  var json: [UInt8] {
    JSONWriter.object { json in
      var seen: Set<Name> = []
      for part in parts where part.fileName == nil && seen.insert(Name(part.name)).inserted {
        let text = String(decoding: part.bytes, as: UTF8.self)
        json.name(part.name)
        if Self.isNoText(part.name), Self.isValue(text) {
          json.raw(text)
        } else if part.name.hasSuffix("_ids") {
          // The vendor's own client writes lists like this.
          json.beginArray()
          for id in text.split(separator: ",") { json.string(String(id)) }
          json.endArray()
        } else {
          json.string(text)
        }
      }
    }
  }

  /// Returns whether the text is a boolean, a whole number, a list or an object in JSON.
  private static func isValue(_ text: String) -> Bool {
    switch text {
    case "true", "false": return true
    default:
      if let number = Int64(text), String(number).utf8.elementsEqual(text.utf8) { return true }
      guard let first = text.utf8.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return false }
      return (try? JSONDocument.parse(text)) != nil
    }
  }

  /// Returns whether a member with that name is not a text.
  private static func isNoText(_ name: String) -> Bool {
    let ends = ["_ids", "_size", "_id", "_at", "metaarray", "metadata", "invitation_status", "upsert"]
    let starts = ["is_", "issue_", "mark_as", "reply_to", "should_", "strict", "discovery_keys", "preferred_languages"]
    // Ids of users and requests have the same suffix.
    guard !["user_id", "inviter_id", "request_id", "req_id"].contains(where: { name.utf8.elementsEqual($0.utf8) })
    else {
      return false
    }
    return ends.contains { name.hasSuffix($0) } || starts.contains { name.hasPrefix($0) }
  }
}
