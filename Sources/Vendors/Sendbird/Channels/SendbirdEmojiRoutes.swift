internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The routes of the emojis for reactions: one category, with the names that the vendor's UI kits know, such as
/// `sendbird_emoji_heart`. Their pictures are drawn here, as SVG text.
struct SendbirdEmojiRoutes: Sendable {
  private struct Emoji {
    let key: String
    let text: String
  }

  private static let emojis = [
    Emoji(key: "sendbird_emoji_heart_eyes", text: "&#128525;"),
    Emoji(key: "sendbird_emoji_laughing", text: "&#128518;"),
    Emoji(key: "sendbird_emoji_rage", text: "&#128545;"), Emoji(key: "sendbird_emoji_sob", text: "&#128557;"),
    Emoji(key: "sendbird_emoji_sweat_smile", text: "&#128517;"),
    Emoji(key: "sendbird_emoji_thumbsup", text: "&#128077;"),
    Emoji(key: "sendbird_emoji_thumbsdown", text: "&#128078;"),
  ]

  private let resource: SendbirdResource
  private let isSecure: Bool

  /// Creates the routes.
  ///
  /// - Parameter isSecure: Whether clients use TLS to the gateway.
  init(gate: SendbirdGate, services: any GatewayServices, isSecure: Bool, rates: SendbirdRates? = nil) {
    resource = SendbirdResource(gate: gate, services: services, rates: rates)
    self.isSecure = isSecure
  }

  var routes: [HTTPRoute] {
    let open = RouteGroup<PathParameters, SendbirdError>(words: { $0.response })
    return [
      resource.route("GET", "/v3/emoji_categories") { request throws(SendbirdError) in
        SendbirdResource.answer { json in
          json.member("emoji_hash", SendbirdWire.emojiHash)
          json.member("emoji_categories", objects: [Self.emojis]) { emojis, json in write(emojis, request, to: &json) }
        }
      },
      resource.route("GET", "/v3/emoji_categories/{id}") { request throws(SendbirdError) in
        guard Int(request.path["id"]) == 1 else { throw .notFound("EmojiCategory") }
        return SendbirdResource.answer { write(Self.emojis, request, to: &$0) }
      },
      resource.route("GET", "/v3/emojis/{key}") { request throws(SendbirdError) in
        let emoji = try Self.emoji(request.path["key"])
        return SendbirdResource.answer { write(emoji, request, to: &$0) }
      },
      open.route("GET", "/v3/emojis/{key}/image") { parameters throws(SendbirdError) in
        let picture =
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\"><text x=\"32\" y=\"50\" font-size=\"50\" "
          + "text-anchor=\"middle\">\(try Self.emoji(parameters["key"]).text)</text></svg>"
        return HTTPResponse(status: 200, contentType: "image/svg+xml", text: picture)
      },
    ]
  }

  private static func emoji(_ key: String) throws(SendbirdError) -> Emoji {
    guard let emoji = emojis.first(where: { $0.key.utf8.elementsEqual(key.utf8) }) else { throw .notFound("Emoji") }
    return emoji
  }

  private func write(_ emojis: [Emoji], _ request: SendbirdRequest, to json: inout JSONWriter) {
    json.member("id", 1)
    json.member("name", "Reactions")
    json.member("url", "")
    json.member("emojis", objects: emojis) { emoji, json in write(emoji, request, to: &json) }
  }

  private func write(_ emoji: Emoji, _ request: SendbirdRequest, to json: inout JSONWriter) {
    let root = request.http.host.map { "http\(isSecure ? "s" : "")://\($0)" } ?? ""
    json.member("key", emoji.key)
    json.member("url", "\(root)/v3/emojis/\(emoji.key)/image")
  }
}
