from django.conf import settings
from django.contrib.staticfiles.views import serve as static
from django.urls import include, path, re_path
from django.views.static import serve
from wagtail import urls as pages
from wagtail.admin import urls as admin

urlpatterns = [
    re_path(r"^static/(?P<path>.*)$", static, {"insecure": True}),
    re_path(r"^media/(?P<path>.*)$", serve, {"document_root": settings.MEDIA_ROOT}),
    path("admin/", include(admin)),
    path("", include(pages)),
]
