internal import GatewayJSON

/// The changes of a bot in a request's body, for a new or an existing bot.
struct SendbirdBotChange: Sendable {
  private let callbackURL: String?
  private let isPrivate: Bool?
  private let marksAsRead: Bool?
  private let showsMember: Bool?
  private let invitationPreference: Int64?

  init(_ body: SendbirdParameters) throws(SendbirdError) {
    callbackURL = try body.string("bot_callback_url", max: SendbirdLimits.url)
    isPrivate = try body.bool("is_privacy_mode")
    marksAsRead = try body.bool("enable_mark_as_read")
    showsMember = try body.bool("show_member")
    invitationPreference = try body.integer("channel_invitation_preference")
    guard invitationPreference.map({ (0...1).contains($0) }) != false else {
      throw .outOfRange("channel_invitation_preference")
    }
  }

  func apply(to bot: inout SendbirdBot) {
    if let callbackURL { bot.callbackURL = callbackURL }
    if let isPrivate { bot.isPrivate = isPrivate }
    if let marksAsRead { bot.marksAsRead = marksAsRead }
    if let showsMember { bot.showsMember = showsMember }
    if let invitationPreference { bot.invitationPreference = invitationPreference }
  }
}
