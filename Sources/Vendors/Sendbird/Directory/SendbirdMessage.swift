package import GatewayCore
import GatewayKit

/// A message of a channel: ann's `hello` in `talk`, for instance.
package struct SendbirdMessage: Hashable, StoreValue {
  /// The most files of one message.
  package static let filesMax = 30

  /// The kind of a message, as the vendor's commands are called: a file, for instance.
  package enum Kind: String, Hashable, Codable, Sendable {
    case text = "MESG"
    case file = "FILE"
    /// Said by the application, not by a user.
    case admin = "ADMM"
  }

  /// The user who sent a message, as known then: ann, by the name she had, for instance.
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

  /// A file that lies elsewhere: a photograph at `https://files.example/1.jpg`, for instance.
  package struct File: Hashable, Codable, Sendable {
    package var url: String
    package var name: String
    package var type: String
    /// In bytes.
    package var size: Int64
    /// The smaller pictures of it that were asked for; nil if none were.
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

  /// A list of texts that an application attaches under a key: `colours`, with `red` and `blue`, for instance.
  package struct MetaArray: Hashable, Codable, Sendable {
    package let key: Name
    package var values: [String]

    package init(_ key: Name, _ values: [String]) {
      self.key = key
      self.values = values
    }
  }

  /// Given by the directory: unique in the application, rising.
  package var id: Int64
  package let channelURL: Name
  package let kind: Kind
  /// Nil for an admin message.
  package let sender: Sender?
  package var text: String
  package var data: String
  package var customType: Name
  /// `users` or `channel`.
  package var mentionType: String
  package var mentionedUsers: [UserID]
  package var file: File?
  /// All of a message that has several, in their sender's order; nil for one of a single file, which is ``file``.
  package var files: [File]?
  /// The message that this one replies to, by its number and as it was then; nil for one that stands by itself.
  package var parentID: Int64?
  package var parent: SendbirdParentMessage?
  /// Whether a reply is shown among the channel's messages too.
  package var isReplyToChannel = false
  /// What has been replied; nil if nothing was.
  package var thread: SendbirdThread?
  /// In their sender's order, no key twice.
  package var metaArrays: [MetaArray] = []
  package var createdAt: WallTime
  package var updatedAt: WallTime?
  // Nil where there is none, as in the rows of before there could be any.
  private var reactionList: [SendbirdReaction]?
  private var translationList: [Name: String]?
  /// The poll that it asks, as it is now.
  package var poll: SendbirdPoll?
  /// When something about it changed that is not what it says: its reactions, for instance.
  package var touchedAt: WallTime?
  /// Whether it was sent by an operator of the channel.
  package var isByOperator = false

  /// A message without a number.
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

  /// What it says in other languages, by their codes.
  package var translations: [Name: String] {
    get { translationList ?? [:] }
    set { translationList = newValue.isEmpty ? nil : newValue }
  }

  /// Notes what it says in those languages: the same, for nobody translates anything.
  package mutating func translate(to languages: [Name], at now: WallTime) {
    for language in languages { translations[language] = text }
    touchedAt = now
  }

  /// Whether clients, who know times in milliseconds, know no other time of the other.
  func isOfSameMillisecond(as other: SendbirdMessage) -> Bool {
    createdAt.milliseconds == other.createdAt.milliseconds
  }

  /// When anything about it changed that a client shows; nil if nothing has since it was sent.
  package var changedAt: WallTime? {
    [updatedAt, touchedAt, thread?.updatedAt].compactMap { $0 }.max()
  }
}
