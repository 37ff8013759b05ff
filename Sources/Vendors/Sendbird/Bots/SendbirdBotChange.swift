internal import GatewayJSON

/// The wishes of a body about a bot, of a new one or of one that there is: that it hears only what is meant for it, for
/// instance.
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
