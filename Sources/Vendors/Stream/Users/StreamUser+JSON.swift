internal import GatewayCore
internal import GatewayJSON

// Users as Stream writes them.

extension StreamUser {
  /// Returns the user id in `text`; throws if it is not a valid one.
  static func checkedID(_ text: String) throws(StreamError) -> UserID {
    guard (1...UserID.lengthMax).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw .input("a user's id must be 1 to \(UserID.lengthMax) bytes without white space", field: "id")
    }
    return UserID(text)
  }

  /// Gives a user who is created by this change the role that follows from the name.
  mutating func takeRoleIfNew(at now: WallTime) {
    if createdAt == now && lastActive == nil && StreamGuestID.isGuest(id) { role = StreamRole.guest.name }
  }

  /// Writes the members that every shown user has: `UserResponse`.
  func writeMembers(to json: inout JSONWriter, _ family: StreamFamily, isOnline: Bool? = nil) {
    json.member("id", id.rawValue)
    json.member("role", role.text)
    if let name { json.member("name", name) }
    if let image { json.member("image", image) }
    json.member("language", language)
    json.member("teams", strings: teams)
    writeCustom(to: &json, family)
    json.member("banned", isBanned)
    json.member("invisible", isInvisible)
    json.member("shadow_banned", false)
    json.member("blocked_user_ids", strings: blocked.map(\.rawValue))
    json.member("created_at", createdAt, family.dates)
    json.member("updated_at", updatedAt, family.dates)
    json.member("last_active", ifAny: lastActive, family.dates)
    json.member("deactivated_at", ifAny: deactivatedAt, family.dates)
    json.member("deleted_at", ifAny: deletedAt, family.dates)
    json.member("revoke_tokens_issued_before", ifAny: revokesTokensIssuedBefore, family.dates)
    // An invisible user looks offline.
    json.member("online", (isOnline ?? self.isOnline) && !isInvisible)
  }

  /// Writes the members of `FullUserResponse` and of `OwnUser` (`me`): the ones of ``writeMembers(to:_:)``, and the
  /// user's private ones.
  func writeFullMembers(to json: inout JSONWriter, _ family: StreamFamily, isOnline: Bool) {
    writeMembers(to: &json, family, isOnline: isOnline)
    json.name("devices")
    json.beginArray()
    for device in devices { device.write(to: &json, of: id, family.dates) }
    json.endArray()
    if let pushPreferences {
      json.name("push_preferences")
      pushPreferences.write(to: &json, family.dates)
    }
    json.member("mutes", strings: [])
    json.member("channel_mutes", strings: [])
    json.member("unread_count", 0)
    json.member("total_unread_count", 0)
    json.member("unread_channels", 0)
    json.member("unread_threads", 0)
  }

  private func writeCustom(to json: inout JSONWriter, _ family: StreamFamily) {
    let members = custom.sorted { $0.key < $1.key }
    if !family.flattensCustom {
      json.name("custom")
      json.beginObject()
    }
    for (name, value) in members {
      json.name(name.text)
      json.raw(value)
    }
    if !family.flattensCustom { json.endObject() }
  }
}

extension StreamDevice {
  /// Writes the whole object.
  func write(to json: inout JSONWriter, of user: UserID, _ dates: StreamDates) {
    json.beginObject()
    json.member("id", id.text)
    json.member("push_provider", pushProvider)
    if let pushProviderName { json.member("push_provider_name", pushProviderName) }
    json.member("user_id", user.rawValue)
    json.member("voip", isVoIP)
    json.member("created_at", createdAt, dates)
    json.endObject()
  }
}

extension JSONWriter {
  /// Writes a user as others see them.
  mutating func member(_ name: StaticString, _ user: StreamUser, _ family: StreamFamily) {
    self.name(name)
    value(user, family)
  }

  /// Writes a user as others see them, as an element of an array.
  mutating func value(_ user: StreamUser, _ family: StreamFamily) {
    beginObject()
    user.writeMembers(to: &self, family)
    endObject()
  }
}
