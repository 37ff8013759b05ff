internal import GatewayCore
import GatewayKit

/// A message of a channel.
struct SendbirdMessage: Hashable, StoreValue {
  /// The maximum number of files in one message.
  static let filesMax = 30

  /// The kind of a message, by the vendor's command.
  enum Kind: String, Hashable, Codable, Sendable {
    case text = "MESG"
    case file = "FILE"
    /// A message of the application, without a sender.
    case admin = "ADMM"
  }

  /// The sender of a message, as known at that time.
  struct Sender: Hashable, Codable, Sendable {
    let id: UserID
    let nickname: String
    let profileURL: String
    let metadata: [Name: String]
    let requiresAuthForProfileImage: Bool

    init(_ user: SendbirdUser) {
      id = user.id
      nickname = user.nickname
      profileURL = user.profileURL
      metadata = user.metadata
      requiresAuthForProfileImage = user.requiresAuthForProfileImage
    }
  }

  /// A file, stored elsewhere.
  struct File: Hashable, Codable, Sendable {
    var url: String
    var name: String
    var type: String
    /// The size in bytes.
    var size: Int64
    /// The thumbnails of it; nil if none were requested.
    var thumbnails: [SendbirdThumbnail]?
  }

  /// A list of texts that an application attaches under a key.
  struct MetaArray: Hashable, Codable, Sendable {
    let key: Name
    var values: [String]

    init(_ key: Name, _ values: [String]) {
      self.key = key
      self.values = values
    }
  }

  /// The number that the directory assigns: unique in the application, increasing.
  var id: Int64
  let channelURL: Name
  let kind: Kind
  /// The sender; nil for an admin message.
  var sender: Sender?
  var text: String
  var data: String
  var customType: Name
  /// `users` or `channel`.
  var mentionType: String
  var mentionedUsers: [UserID]
  var file: File?
  /// All files of a message that has several, in the sender's order; nil for a single file, which is ``file``.
  var files: [File]?
  /// The number of the message that this one replies to; nil if it replies to none. Its content at that time is stored
  /// too.
  var parentID: Int64?
  var parent: SendbirdParentMessage?
  /// Whether a reply is shown among the channel's messages too.
  var isReplyToChannel = false
  /// The thread of replies; nil if there are none.
  var thread: SendbirdThread?
  /// The meta arrays in the sender's order; keys are unique.
  var metaArrays: [MetaArray] = []
  var createdAt: WallTime
  var updatedAt: WallTime?
  // Nil if there are none, and in rows of earlier versions.
  private var reactionList: [SendbirdReaction]?
  private var translationList: [Name: String]?
  /// The poll with its current votes.
  var poll: SendbirdPoll?
  /// The time of the last change of anything but the content.
  var touchedAt: WallTime?
  /// Whether an operator of the channel sent it.
  var isByOperator = false

  /// Creates a message without a number.
  init(
    _ kind: Kind, in channelURL: Name, by sender: Sender?, text: String = "", file: File? = nil,
    createdAt: WallTime
  ) {
    self.kind = kind
    self.channelURL = channelURL
    self.sender = sender
    self.text = text
    self.file = file
    self.createdAt = createdAt
    id = 0
    data = ""
    customType = ""
    mentionType = "users"
    mentionedUsers = []
  }

  var reactions: [SendbirdReaction] {
    get { reactionList ?? [] }
    set { reactionList = newValue.isEmpty ? nil : newValue }
  }

  /// The translations by language code.
  var translations: [Name: String] {
    get { translationList ?? [:] }
    set { translationList = newValue.isEmpty ? nil : newValue }
  }

  /// Stores translations to those languages, which are the original text.
  mutating func translate(to languages: [Name], at now: WallTime) {
    for language in languages { translations[language] = text }
    touchedAt = now
  }

  /// Returns whether both have the same time in milliseconds, as clients see it.
  func isOfSameMillisecond(as other: SendbirdMessage) -> Bool {
    createdAt.milliseconds == other.createdAt.milliseconds
  }

  /// The time of the last visible change; nil if nothing has changed since it was sent.
  var changedAt: WallTime? {
    [updatedAt, touchedAt, thread?.updatedAt].compactMap { $0 }.max()
  }
}
