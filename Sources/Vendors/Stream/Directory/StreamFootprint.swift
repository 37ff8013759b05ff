internal import GatewayCore

// The memory that the rows of Stream's directories take, as far as clients decide it: the bytes of texts, plus a fixed
// amount for each object.

extension StreamUser {
  var footprint: Int {
    let texts = [id.rawValue, role.text, name ?? "", image ?? "", language].reduce(0) { $0 + $1.utf8.count }
    return 800 + texts + custom.footprint + teams.reduce(0) { $0 + 32 + $1.utf8.count }
      + blocked.reduce(0) { $0 + 32 + $1.rawValue.utf8.count } + devices.reduce(0) { $0 + $1.footprint }
  }
}

extension StreamDevice {
  fileprivate var footprint: Int {
    120 + [id.text, pushProvider, pushProviderName ?? ""].reduce(0) { $0 + $1.utf8.count }
  }
}

extension StreamCallMember {
  var footprint: Int { 200 + user.rawValue.utf8.count + (role?.text.utf8.count ?? 0) + custom.footprint }
}

extension StreamCall {
  /// The size without the members.
  var footprintWithoutMembers: Int {
    let settings = settings.reduce(0) { $0 + 64 + $1.key.utf8.count + $1.value.utf8.count }
    let answers = session.map { $0.acceptedBy.count + $0.rejectedBy.count + $0.missedBy.count + $0.ringing.count } ?? 0
    let people = blocked.count + answers + (session?.participants.count ?? 0)
    // Names of users and roles have at most 255 bytes.
    let pins = session?.pins?.reduce(0) { $0 + 64 + $1.user.rawValue.utf8.count + $1.sessionID.utf8.count } ?? 0
    let broadcasts = egress?.broadcasts.reduce(0) { $0 + 96 + $1.name.utf8.count + $1.url.utf8.count } ?? 0
    return 1500 + custom.footprint + settings + (team?.utf8.count ?? 0) + people * 400 + pins + broadcasts
      + grants.reduce(0) { $0 + 400 + $1.value.count * 40 }
  }
}

extension StreamCustom {
  fileprivate var footprint: Int { reduce(0) { $0 + 64 + $1.key.text.utf8.count + $1.value.utf8.count } }
}
