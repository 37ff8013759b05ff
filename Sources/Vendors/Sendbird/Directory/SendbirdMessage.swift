package import GatewayCore
import GatewayKit

/// A message of a channel.
package struct SendbirdMessage: Hashable, StoreValue {
  /// The most files in one message.
  package static let filesMax = 30

  /// The kind of a message, by the vendor's command.
  package enum Kind: String, Hashable, Codable, Sendable {
    case text = "MESG"
    case file = "FILE"
    /// A message of the application, without a sender.
    case admin = "ADMM"
  }

  /// The sender of a message, as known at that time.
  package struct Sender: Hashable, Codable, Sendable {
    package let id: UserID
    package let nickname: String
    package let profileURL: String
    package let metadata: [Name: String]
    package let requiresAuthForProfileImage: Bool

    package init(_ user: SendbirdUser) {
      id = user.id
      nickname = user.nickname
      profileURL = user.profileURL
      metadata = user.metadata
      requiresAuthForProfileImage = user.requiresAuthForProfileImage
    }
  }

  /// A file, stored elsewhere.
  package struct File: Hashable, Codable, Sendable {
    package var url: String
    package var name: String
    package var type: String
    /// The size in bytes.
    package var size: Int64
    /// The thumbnails of it; nil if none were requested.
    package var thumbnails: [SendbirdThumbnail]?

    package init(
      url: String, name: String, type: String, size: Int64, thumbnails: [SendbirdThumbnail]? = nil
    ) {
      self.url = url
      self.name = name
      self.type = type
      self.size = size
      self.thumbnails = thumbnails
    }
  }

  /// A list of texts that an application attaches under a key.
  package struct MetaArray: Hashable, Codable, Sendable {
    package let key: Name
    package var values: [String]

    package init(_ key: Name, _ values: [String]) {
      self.key = key
      self.values = values
    }
  }

  /// The number that the directory assigns: unique in the application, increasing.
  package var id: Int64
  package let channelURL: Name
  package let kind: Kind
  /// The sender; nil for an admin message.
  package let sender: Sender?
  package var text: String
  package var data: String
  package var customType: Name
  /// `users` or `channel`.
  package var mentionType: String
  package var mentionedUsers: [UserID]
  package var file: File?
  /// All files of a message that has several, in the sender's order; nil for a single file, which is ``file``.
  package var files: [File]?
  /// The number of the message that this one replies to; nil if it replies to none. Its content at that time is stored
  /// too.
  package var parentID: Int64?
  package var parent: SendbirdParentMessage?
  /// Whether a reply is shown among the channel's messages too.
  package var isReplyToChannel = false
  /// The thread of replies; nil if there are none.
  package var thread: SendbirdThread?
  /// The meta arrays in the sender's order; keys are unique.
  package var metaArrays: [MetaArray] = []
  package var createdAt: WallTime
  package var updatedAt: WallTime?
  // Nil if there are none, and in rows of earlier versions.
  private var reactionList: [SendbirdReaction]?
  private var translationList: [Name: String]?
  /// The poll with its current votes.
  package var poll: SendbirdPoll?
  /// The time of the last change of anything but the content.
  package var touchedAt: WallTime?
  /// Whether an operator of the channel sent it.
  package var isByOperator = false

  /// Creates a message without a number.
  package init(
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

  package var reactions: [SendbirdReaction] {
    get { reactionList ?? [] }
    set { reactionList = newValue.isEmpty ? nil : newValue }
  }

  /// The translations by language code.
  package var translations: [Name: String] {
    get { translationList ?? [:] }
    set { translationList = newValue.isEmpty ? nil : newValue }
  }

  /// Stores translations to those languages, which are the original text.
  package mutating func translate(to languages: [Name], at now: WallTime) {
    for language in languages { translations[language] = text }
    touchedAt = now
  }

  /// Returns whether both have the same time in milliseconds, as clients see it.
  func isOfSameMillisecond(as other: SendbirdMessage) -> Bool {
    createdAt.milliseconds == other.createdAt.milliseconds
  }

  /// The time of the last visible change; nil if nothing has changed since it was sent.
  package var changedAt: WallTime? {
    [updatedAt, touchedAt, thread?.updatedAt].compactMap { $0 }.max()
  }
}
