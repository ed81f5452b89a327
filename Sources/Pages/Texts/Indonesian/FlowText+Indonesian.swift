// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var indonesian: StaticString {
        switch self {
        case .signingIn: "Sedang masuk…"
        case .returning: "Anda akan kembali ke aplikasi."
        case .needsScript: "Halaman ini memerlukan JavaScript. Aktifkan JavaScript di browser Anda, lalu masuk lagi."
        case .noResponse: "Aplikasi tidak merespons. Tutup jendela ini, kembali ke aplikasi, lalu masuk lagi."
        case .tryAgain: "Coba lagi"
        case .backToApp: "Kembali ke aplikasi"
        case .expired: "Waktu untuk masuk sudah habis"
        case .expiredAdvice: "Anda memiliki waktu sepuluh menit untuk masuk. Kembali ke aplikasi, lalu masuk lagi. Tidak ada yang diubah."
        case .otherBrowser: "Proses masuk tidak dapat diselesaikan"
        case .otherBrowserAdvice: "Proses masuk tidak dimulai di browser ini, atau browser tidak menyimpan cookie. Kembali ke aplikasi, izinkan cookie, lalu masuk lagi di browser yang sama. Tidak ada yang diubah."
        case .alreadyUsed: "Proses masuk ini sudah selesai"
        case .alreadyUsedAdvice: "Kembali ke aplikasi. Jika Anda belum masuk di sana, masuk lagi."
        case .domainNotAllowed: "Situs web ini tidak dapat menggunakan proses masuk ini"
        case .domainNotAllowedAdvice: "Situs web yang membuka halaman ini tidak diizinkan menggunakan proses masuk ini. Jika Anda mengelola situs web tersebut, tambahkan domainnya ke domain resmi proyek."
        case .providerUnavailable: "Layanan untuk masuk tidak merespons"
        case .providerUnavailableAdvice: "Tunggu sebentar, lalu coba lagi. Tidak ada yang diubah. Anda juga dapat kembali ke aplikasi dan masuk dengan cara lain."
        case .rejected: "Proses masuk gagal"
        case .rejectedAdvice: "Tidak ada yang diubah. Kembali ke aplikasi, lalu masuk lagi."
        case .cancelled: "Anda membatalkan proses masuk"
        case .cancelledAdvice: "Tidak ada yang diubah. Anda dapat kembali ke aplikasi."
        case .notOffered: "Cara masuk ini tidak tersedia"
        case .notOfferedAdvice: "Kembali ke aplikasi, lalu masuk dengan cara lain."
        case .malformed: "Tautan masuk ini tidak lengkap"
        case .malformedAdvice: "Kembali ke aplikasi, lalu masuk lagi. Jika Anda melihat halaman ini lagi, hubungi pengelola aplikasi."
        }
    }
}
