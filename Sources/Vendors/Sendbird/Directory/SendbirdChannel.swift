package import GatewayCore

/// A channel of a Sendbird application, e.g. `talk`.
package struct SendbirdChannel: Hashable, Sendable {
  /// The kind of a channel.
  package enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// A channel that anybody may enter, for as long as the connection lasts.
    case open
    /// A channel with stored members, connected or not.
    case group
  }

  /// The properties that may be changed at any time.
  package struct Properties: Hashable, Codable, Sendable {
    package var name = ""
    package var coverURL = ""
    package var customType: Name = ""
    package var data = ""
    package var isPublic = false
    package var isSuper = false
    package var isEphemeral = false
    package var isBroadcast = false
    /// Whether only operators may send.
    package var isFrozen = false
    /// The operators in the order in which they were appointed.
    package var operators: [UserID] = []
    package var metadata: [Name: String] = [:]
    // Nil if there are none, and in rows of earlier versions.
    private var counts: [Name: Int64]?
    private var pinned: [Int64]?

    package init() {}

    /// The application's counters.
    package var counters: [Name: Int64] {
      get { counts ?? [:] }
      set { counts = newValue.isEmpty ? nil : newValue }
    }

    /// The pinned messages, the newest pin last.
    package var pins: [Int64] {
      get { pinned ?? [] }
      set { pinned = newValue.isEmpty ? nil : newValue }
    }
  }

  package let url: Name
  package let kind: Kind
  /// A unique number, which increases with each new channel.
  package var number: Int64
  package let createdBy: UserID?
  package let createdAt: WallTime
  package var properties: Properties
  /// Whether a request for a group channel with the same members returns this one. Ends when members change.
  package var isDistinct: Bool
  /// The members of a group channel in the order in which they joined or were invited.
  package var members: [SendbirdMember]
  /// The members who receive the events of a group channel.
  package var joined: Set<UserID>
  /// The number of users in an open channel.
  package var participantCount: Int
  package var lastMessage: SendbirdMessage?
  /// The pinned messages that still exist, the newest pin first.
  package var pinnedMessages: [SendbirdMessage] = []

  /// Creates a channel without members. The directory assigns the number.
  package init(
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
  package func member(_ user: UserID) -> SendbirdMember? {
    members.first { $0.user == user }
  }

  package func isOperator(_ user: UserID) -> Bool {
    properties.operators.contains(user)
  }
}
