internal import GatewayCore

/// A channel of a Sendbird application, e.g. `talk`.
struct SendbirdChannel: Hashable, Sendable {
  /// The kind of a channel.
  enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// A channel that any user may enter, for as long as the connection lasts.
    case open
    /// A channel with stored members, connected or not.
    case group
  }

  /// The properties that may be changed at any time.
  struct Properties: Hashable, Codable, Sendable {
    var name = ""
    var coverURL = ""
    var customType: Name = ""
    var data = ""
    var isPublic = false
    var isSuper = false
    var isEphemeral = false
    var isBroadcast = false
    /// Whether only operators may send.
    var isFrozen = false
    /// The operators in the order in which they were appointed.
    var operators: [UserID] = []
    var metadata: [Name: String] = [:]
    // Nil if there are none, and in rows of earlier versions.
    private var counts: [Name: Int64]?
    private var pinned: [Int64]?

    init() {}

    /// The application's counters.
    var counters: [Name: Int64] {
      get { counts ?? [:] }
      set { counts = newValue.isEmpty ? nil : newValue }
    }

    /// The pinned messages, the newest pin last.
    var pins: [Int64] {
      get { pinned ?? [] }
      set { pinned = newValue.isEmpty ? nil : newValue }
    }
  }

  let url: Name
  let kind: Kind
  /// A unique number, which increases with each new channel.
  var number: Int64
  let createdBy: UserID?
  let createdAt: WallTime
  var properties: Properties
  /// Whether a request for a group channel with the same members returns this one. Ends when members change.
  var isDistinct: Bool
  /// The members of a group channel in the order in which they joined or were invited.
  var members: [SendbirdMember]
  /// The members who receive the events of a group channel.
  var joined: Set<UserID>
  /// The number of users in an open channel.
  var participantCount: Int
  var lastMessage: SendbirdMessage?
  /// The number of messages that were sent, deleted ones too.
  var messageCount: Int64 = 0
  /// The pinned messages that still exist, the newest pin first.
  var pinnedMessages: [SendbirdMessage] = []

  /// Creates a channel without members. The directory assigns the number.
  init(
    url: Name, kind: Kind, createdBy: UserID?, createdAt: WallTime, properties: Properties = Properties(),
    isDistinct: Bool = false, members: [SendbirdMember] = []
  ) {
    self.url = url
    self.kind = kind
    self.createdBy = createdBy
    self.createdAt = createdAt
    self.properties = properties
    self.isDistinct = isDistinct
    self.members = members
    joined = Set(members.lazy.filter { $0.state == .joined }.map(\.user))
    number = 0
    participantCount = 0
  }

  /// Returns the member with that id.
  func member(_ user: UserID) -> SendbirdMember? {
    members.first { $0.user == user }
  }

  func isOperator(_ user: UserID) -> Bool {
    properties.operators.contains(user)
  }
}
