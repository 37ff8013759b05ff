internal import GatewayCore
internal import GatewayKit

/// A call type as servers have set it, built in or their own. Its values override the type's defaults.
struct StreamCallType: Hashable, StoreValue {
  let name: String
  let createdAt: WallTime
  var updatedAt: WallTime
  /// The permissions of those roles that were set.
  var grants: [Name: [String]] = [:]
  /// The built-in permissions with the same actions as the application's own permissions that are granted in this type.
  var meanings: [Name: String]?
  /// The settings that were set: values as JSON text by path.
  var settings: [String: String] = [:]
  var notifications = StreamCallNotifications()
  var externalStorage: String?

  /// The maximum number of bytes of one type.
  static let footprintMax = 64 << 10

  init(name: String, createdAt: WallTime) {
    self.name = name
    self.createdAt = createdAt
    updatedAt = createdAt
  }

  /// The number of bytes that clients decide.
  var footprint: Int {
    grants.reduce(0) { $0 + 64 + $1.key.text.utf8.count + $1.value.reduce(0) { $0 + 32 + $1.utf8.count } }
      + settings.reduce(0) { $0 + 64 + $1.value.utf8.count }
      + notifications.events.reduce(0) {
        $0 + 64 + ($1.value.title?.utf8.count ?? 0) + ($1.value.body?.utf8.count ?? 0)
      }
  }
}

/// The push notifications for the members of calls. The gateway pushes nothing.
struct StreamCallNotifications: Hashable, Codable, Sendable {
  /// An event that is pushed.
  enum Event: String, Hashable, Codable, Sendable, CaseIterable {
    case callLiveStarted = "call_live_started"
    case callMissed = "call_missed"
    case callNotification = "call_notification"
    case callRing = "call_ring"
    case sessionStarted = "session_started"
  }

  /// A setting of one event's notification.
  struct Setting: Hashable, Codable, Sendable {
    var isEnabled = true
    var title: String?
    var body: String?
  }

  var isEnabled = true
  /// The events that were set.
  var events: [Event: Setting] = [:]
}

/// A role that the application defines, e.g. `moderator`.
struct StreamOwnRole: Hashable, StoreValue {
  let name: Name
  let createdAt: WallTime
}

/// A service for an application's push notifications, e.g. `firebase`. Its secrets are not stored.
struct StreamPushProvider: Hashable, StoreValue {
  /// `firebase`, `apn`, `huawei` or `xiaomi`.
  let type: String
  let name: Name
  let createdAt: WallTime
  var updatedAt: WallTime
  /// The other properties: values as JSON text by name.
  var members: StreamCustom
  var disabledAt: WallTime?
}
